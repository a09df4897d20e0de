import { open, readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { syncFolder } from '../files/replace-file.ts';
import type { FileState } from './kept-files.ts';

/** One write: what stood there before (only of the first one in a checkpoint), and what was about to be written. */
export interface JournalLine {
  readonly path: string;
  readonly before?: FileState;
  readonly after: FileState;
}

/** All that is known of one checkpoint. */
export interface Journal {
  /** The turn, or an id of its own for a rollback. */
  readonly id: string;
  readonly kind: 'turn' | 'rollback';
  /** Rises from one to the next, whatever the clock says. */
  readonly order: number;
  readonly at: number;
  readonly lines: readonly JournalLine[];
  readonly isDone: boolean;
}

type WrittenLine =
  | ({ readonly type: 'begun' } & Pick<Journal, 'kind' | 'order' | 'at'>)
  | ({ readonly type: 'write' } & JournalLine)
  | { readonly type: 'done' };

const suffix = '.jsonl';

/** The checkpoints in a folder, newest first. */
export async function readJournals(folder: string): Promise<readonly Journal[]> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (systemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  });
  const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  const journals = await Promise.all(ids.map((id) => readJournal(folder, id)));
  return journals.filter((journal) => journal !== undefined).toSorted((left, right) => right.order - left.order);
}

/** The place of the next one, given those that there are. */
export function nextOrder([newest]: readonly Journal[]): number {
  return (newest?.order ?? 0) + 1;
}

export async function readJournal(folder: string, id: string): Promise<Journal | undefined> {
  const text = await readFile(fileOf(folder, id), 'utf8').catch((thrown: unknown) => {
    if (systemErrorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  });
  const lines = text.split('\n').flatMap(parseLine);
  const begun = lines.find((line) => line.type === 'begun');
  if (begun === undefined) return undefined;
  const writes = lines.filter((line) => line.type === 'write');
  const isDone = begun.kind === 'turn' || lines.some((line) => line.type === 'done');
  return { id, kind: begun.kind, order: begun.order, at: begun.at, lines: writes, isDone };
}

/** Adds lines and waits until they are on the disk. A line that a crash tore does not spoil the next one. */
export async function appendToJournal(folder: string, id: string, lines: readonly WrittenLine[]): Promise<void> {
  await using file = await open(fileOf(folder, id), 'a', 0o600);
  await file.writeFile(`\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await file.sync();
}

/** Puts a whole journal in place, or nothing of it. */
export async function writeJournal(folder: string, id: string, lines: readonly WrittenLine[]): Promise<void> {
  const temporary = `${fileOf(folder, id)}.new`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await file.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await file.sync();
  }
  await rename(temporary, fileOf(folder, id));
  await syncFolder(folder);
}

export function fileOf(folder: string, id: string): string {
  return join(folder, `${id}${suffix}`);
}

/** Nobody else writes these files, so a line either is one of ours or was torn by a crash before its write began. */
function parseLine(text: string): readonly WrittenLine[] {
  if (text === '') return [];
  try {
    return [JSON.parse(text) as WrittenLine];
  } catch {
    return [];
  }
}
