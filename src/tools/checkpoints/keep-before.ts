import { join } from 'node:path';
import type { TurnId } from '../../base/ids.ts';
import { syncFolder } from '../files/replace-file.ts';
import { appendToJournal, nextOrder, readJournal, readJournals } from './journal.ts';
import type { JournalLine } from './journal.ts';
import { digestOf, isSameContent, KeptFiles, look } from './kept-files.ts';
import type { FileState } from './kept-files.ts';
import { prune } from './prune-checkpoints.ts';

export interface KeepingTurn {
  readonly folder: string;
  readonly turnId: TurnId;
  readonly now: number;
}

/** Notes a write before it happens. What stood there is kept as well, unless this turn itself left it or has it already. */
export async function keepBefore({ folder, turnId, now }: KeepingTurn, path: string, content: string): Promise<void> {
  const journal = await readJournal(folder, turnId);
  if (journal === undefined) await prune(folder, now);
  const { state } = await look(path);
  const isKnown = journal?.lines.some((line) => line.path === path && isOneOf(state, line)) === true;
  const before = isKnown ? undefined : await new KeptFiles(join(folder, 'objects')).keep(path);
  const write = { type: 'write', path, ...(before && { before }), after: describeWrite(content, state) } as const;
  if (journal !== undefined) return await appendToJournal(folder, turnId, [write]);
  const order = nextOrder(await readJournals(folder));
  await appendToJournal(folder, turnId, [{ type: 'begun', kind: 'turn', order, at: now }, write]);
  await syncFolder(folder);
}

function isOneOf(state: FileState, { before, after }: JournalLine): boolean {
  return isSameContent(state, after) || (before !== undefined && isSameContent(state, before));
}

/** What a file is after it is written; the permissions of a new one are the system's choice and are never compared. */
function describeWrite(content: string, before: FileState): FileState {
  const permissions = before.type === 'file' ? before : { mode: 0o644, uid: 0, gid: 0 };
  return { ...permissions, type: 'file', digest: digestOf(content) };
}
