import { stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { hasForeignText, markForeign } from '../../base/foreign-text.ts';
import type { BlobId } from '../../base/ids.ts';
import { judgeImage, judgeImageSize } from '../../model/image.ts';
import { textPart } from '../../model/message.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import { done, failed } from '../tool-outcomes.ts';
import { openReal } from './open-real.ts';
import { pageLines } from './page-lines.ts';
import type { LinePage, LineWindow } from './page-lines.ts';
import { describeMissing } from './similar-names.ts';

const defaultLines = 500;
const mostLines = 2000;
const longestResult = 100_000;
const chunkBytes = 256 * 1024;
const sampleBytes = 8000;

export interface PageRequest {
  readonly offset: number | undefined;
  readonly limit: number | undefined;
}

export interface Authorship {
  /** What the lines are marked with where others wrote them; undefined for what is the user's own. */
  readonly foreignKey: string | undefined;
}

/** Reads a page of a file of any size; only the lines of the page are held in memory. */
export async function readPage(
  path: string,
  input: PageRequest,
  { signal, keepImage, foreignKey }: Pick<ToolContext, 'signal' | 'keepImage'> & Authorship,
): Promise<ToolOutcome> {
  const problem = await findProblem(path);
  if (problem !== undefined) return failed(problem);
  await using file = await openReal(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
  const sample = buffer.subarray(0, bytesRead);
  if (judgeImage({ bytes: sample }).type === 'image') return await showImage(path, file, keepImage);
  if (isBinary(sample)) {
    return failed(`${path} is not a text file; inspect it in the terminal (file, xxd, strings …)`);
  }
  const window = windowOf(input);
  return describePage(path, await pageLines(readChunks(file, signal), window), window, foreignKey);
}

/** A picture goes to the model as one; what is too large for any model is not even read. */
async function showImage(path: string, file: FileHandle, keepImage: ToolContext['keepImage']): Promise<ToolOutcome> {
  const { size } = await file.stat();
  const problem = judgeImageSize(size, path);
  if (problem !== undefined) return failed(problem);
  const image = await keepImage({ bytes: await file.readFile(), name: basename(path) });
  if (typeof image === 'string') return failed(image);
  return { type: 'done', parts: [textPart(`${path} is a picture; models that can see are shown it next`), image] };
}

/** Reads a page of a result that was too long to show, by the id under which it is kept. What was marked in it is so on every page. */
export async function readBlobPage(
  path: string,
  input: PageRequest,
  { readBlob, idempotencyKey }: Pick<ToolContext, 'readBlob' | 'idempotencyKey'>,
): Promise<ToolOutcome> {
  const text = await readBlob(path.slice('blob:'.length) as BlobId);
  if (text === undefined) return failed(`there is no ${path} in this session`);
  const window = windowOf(input);
  const foreignKey = hasForeignText(text) ? idempotencyKey : undefined;
  return describePage(path, await pageLines([Buffer.from(text)], window), window, foreignKey);
}

/** Why a path cannot be read as text at all. Opening a device or a pipe could wait for ever, so it is not tried. */
async function findProblem(path: string): Promise<string | undefined> {
  try {
    const file = await stat(path);
    if (file.isDirectory()) return `${path} is a folder; list it with search_files (target "files") or ls`;
    return file.isFile() ? undefined : `${path} is a device or a pipe, not a file that can be read`;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw thrown;
    return await describeMissing(path);
  }
}

async function* readChunks(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Text has no NUL, and few control characters besides those that lay it out. */
function isBinary(sample: Buffer): boolean {
  if (sample.includes(0)) return true;
  const controls = sample.filter((byte) => byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27).length;
  return controls > sample.length * 0.3;
}

function windowOf(input: PageRequest): LineWindow {
  const limit = Math.min(Math.max(input.limit ?? defaultLines, 1), mostLines);
  return { offset: Math.max(input.offset ?? 1, 1), limit };
}

function describePage(path: string, page: LinePage, window: LineWindow, foreignKey: string | undefined): ToolOutcome {
  const { lines, totalLines } = page;
  if (totalLines === 0) return done(`[${path} is empty]`);
  if (lines.length === 0) return failed(`${path} has ${totalLines} lines; there is nothing at line ${window.offset}`);
  const last = window.offset + lines.length - 1;
  const more = last < totalLines ? `; go on with offset=${last + 1}` : '';
  const numbered = lines.map((line, index) => `${window.offset + index}|${line}`);
  const all = numbered.join('\n');
  const shown = foreignKey === undefined ? all : markForeign(all, path, foreignKey);
  const text = `${shown}\n[lines ${window.offset}-${last} of ${totalLines} in ${path}${more}]`;
  if (text.length < longestResult) return done(text);
  const fits = countFitting(numbered);
  return failed(
    `lines ${window.offset}-${last} of ${path} come to ${text.length} characters, more than ${longestResult}; read fewer, for instance limit=${fits}`,
  );
}

/** How many of the lines stay well under the limit. */
function countFitting(lines: readonly string[]): number {
  let length = 0;
  const over = lines.findIndex((line) => (length += line.length + 1) > longestResult / 2);
  return Math.max(over, 1);
}
