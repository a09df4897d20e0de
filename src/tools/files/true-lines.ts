import type { FileHandle } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';
import { openReal } from './open-real.ts';

/** A line of a file, as a search shows it. */
export interface ShownLine {
  readonly file: string;
  /** Counted from one. */
  readonly line: number;
  readonly text: string;
}

const chunkBytes = 64 * 1024;
// More than is shown of a line.
const longestLine = 2000;
// What ripgrep and we put behind what is shown of a long line.
const cutMark = /(?: \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]|…)+$/;

/**
 * Those of the lines that stand where a search found them, in files that are opened without following a link. ripgrep goes by
 * paths, and shows what is elsewhere where a link takes the place of a file or folder while it looks.
 */
export async function findTrueLines<Line extends ShownLine>(
  lines: readonly Line[],
  signal: AbortSignal,
): Promise<ReadonlySet<Line>> {
  const found = new Set<Line>();
  for (const [path, ofFile] of Map.groupBy(lines, ({ file }) => file)) {
    signal.throwIfAborted();
    for (const line of await checkFile(path, ofFile)) found.add(line);
  }
  return found;
}

async function checkFile<Line extends ShownLine>(path: string, lines: readonly Line[]): Promise<readonly Line[]> {
  try {
    await using file = await openReal(path);
    const texts = await readLines(file, new Set(lines.map(({ line }) => line)));
    return lines.filter(({ line, text }) => texts.get(line)?.startsWith(plain(text.replace(cutMark, ''))) === true);
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined) throw thrown;
    return [];
  }
}

/** The beginnings of the wanted lines. Nothing behind the last of them is read, and little of any line is held. */
async function readLines(file: FileHandle, wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const last = Math.max(...wanted);
  let decoder: TextDecoder | undefined;
  let [number, begin] = [1, ''];
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; number <= last;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    const bytes = buffer.subarray(0, bytesRead);
    decoder ??= decoderFor(bytes);
    const [rest = '', ...next] = decoder.decode(bytes, { stream: bytesRead > 0 }).split('\n');
    begin = (begin + rest).slice(0, longestLine);
    for (const text of next) {
      if (wanted.has(number)) texts.set(number, plain(begin));
      [number, begin] = [number + 1, text.slice(0, longestLine)];
    }
    if (bytesRead === 0) break;
    position += bytesRead;
  }
  // The last line of a file needs no end.
  if (wanted.has(number)) texts.set(number, plain(begin));
  return texts;
}

/** Text of sixteen bits says so at its beginning, and ripgrep reads it. */
function decoderFor(bytes: Buffer): TextDecoder {
  const mark = bytes.toString('hex', 0, 2);
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8');
}

/** What is left of a line in whatever way its bytes were read. */
function plain(text: string): string {
  return text.replaceAll(/[\uFEFF\uFFFD]/g, '').trimEnd();
}
