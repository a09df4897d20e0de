import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeBytes } from '../../base/describe-bytes.ts';
import { spellOutLine } from '../tool-outcomes.ts';
import type { Attachment } from './read-result.ts';

const mostKept = 8;
const largestBytes = 16 * 1024 * 1024;

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
};

/** Writes what came with a result into files of the session. Returns a line about each, in order, with the path. */
export async function keepAttachments(
  attachments: readonly Attachment[],
  folder: string,
  name: string,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [index, { mediaType, base64 }] of attachments.slice(0, mostKept).entries()) {
    const bytes = Buffer.from(base64, 'base64');
    const what = `${spellOutLine(mediaType.slice(0, 80)) || 'unknown kind'}, ${describeBytes(bytes.length)}`;
    if (bytes.length > largestBytes) {
      lines.push(`[a file: ${what}: too large to keep]`);
      continue;
    }
    const path = join(folder, `${name}-${index + 1}.${extensions[mediaType] ?? 'bin'}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, bytes, { mode: 0o600 });
    lines.push(`[a file: ${what}, kept as ${path}]`);
  }
  const more = attachments.length - mostKept;
  return more > 0 ? [...lines, `[${more} more files were not kept]`] : lines;
}
