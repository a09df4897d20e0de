import type { ToolOutcome } from '../../model/message.ts';
import { done, failed } from '../tool-outcomes.ts';
import { usesCrLf } from './line-endings.ts';
import { openReal, readReal } from './open-real.ts';
import { findProtection, replaceFile, statIfAny } from './replace-file.ts';

const sampleBytes = 64 * 1024;
const byteOrderMark = '\uFEFF';

/** Replaces a whole file. What the model cannot see of the old one (line endings, a byte order mark) is kept. */
export async function writeWhole(
  path: string,
  content: string,
  keep: (content: string) => Promise<void>,
): Promise<ToolOutcome> {
  const existing = await statIfAny(path);
  if (existing?.isDirectory() === true) return failed(`${path} is a folder; give the path of a file in it`);
  if (existing?.isFile() === false) return failed(`${path} is a device or a pipe; it is not written to`);
  const protection = existing === undefined ? undefined : await findProtection(path);
  if (protection !== undefined) return failed(protection);
  const styled = existing === undefined ? content : keepStyle(content, await readSample(path));
  await keep(styled);
  await replaceFile(path, styled, existing);
  const verb = existing === undefined ? 'created' : 'replaced';
  return done(`${verb} ${path} (${Buffer.byteLength(styled)} bytes)`);
}

/**
 * Whether an earlier run took effect, judged by the file alone. Other content than ours may be what stood there before
 * or what the user wrote since, and nobody can tell which.
 */
export async function verifyWhole(path: string, content: string): Promise<'done' | 'not-done' | 'unknown'> {
  try {
    const existing = await statIfAny(path);
    if (existing === undefined) return 'not-done';
    if (!existing.isFile()) return 'unknown';
    const written = Buffer.from(keepStyle(content, await readSample(path)));
    return existing.size === written.length && written.equals(await readReal(path)) ? 'done' : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function readSample(path: string): Promise<string> {
  await using file = await openReal(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

function keepStyle(content: string, old: string): string {
  const lines = usesCrLf(old) && !content.includes('\r\n') ? content.replaceAll('\n', '\r\n') : content;
  return old.startsWith(byteOrderMark) && !lines.startsWith(byteOrderMark) ? byteOrderMark + lines : lines;
}
