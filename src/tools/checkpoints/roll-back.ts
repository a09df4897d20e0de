import { join } from 'node:path';
import { describeError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { TurnId } from '../../base/ids.ts';
import type { Checkpoint, FileChange, Rollback } from '../../model/file-history.ts';
import type { PathLocks } from '../files/path-locks.ts';
import { realPath } from '../real-path.ts';
import { appendToJournal, nextOrder, readJournals, writeJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { isSameContent, KeptFiles, look } from './kept-files.ts';
import { insist, pathsOf, planFile } from './plan-rollback.ts';
import type { PlannedFile } from './plan-rollback.ts';

export interface RollbackWish {
  readonly folder: string;
  readonly number: number;
  readonly how: 'careful' | 'forced';
  readonly now: number;
  readonly locks: PathLocks;
}

export async function listCheckpoints(folder: string): Promise<readonly Checkpoint[]> {
  const journals = await readJournals(folder);
  return journals.map((journal, index) => ({
    id: journal.id,
    number: index + 1,
    at: journal.at,
    kind:
      journal.kind === 'turn'
        ? { type: 'turn', turnId: journal.id as TurnId }
        : { type: 'rollback', state: journal.isDone ? 'done' : 'cut-short' },
    files: pathsOf([journal]).length,
  }));
}

export async function planRollback(folder: string, number: number): Promise<Rollback> {
  const journals = await readJournals(folder);
  if (journals[number - 1] === undefined) return { type: 'none' };
  const planned = await planAll(journals.slice(0, number));
  return { type: 'planned', changes: planned.map(({ change }) => change) };
}

/**
 * Puts files back. Before the first is touched, a checkpoint of its own says what all of them are and what they become: it
 * can be taken back like any other, and one that was cut short is finished by the next.
 */
export async function rollBack(wish: RollbackWish): Promise<Rollback> {
  const { folder, number, how, now, locks } = wish;
  const journals = await readJournals(folder);
  const kept = new KeptFiles(join(folder, 'objects'));
  const [newest] = journals;
  if (newest?.isDone === false) {
    const changes = await restoreAll(await planRest(newest), kept, locks);
    await appendToJournal(folder, newest.id, [{ type: 'done' }]);
    return { type: 'finished', changes };
  }
  if (journals[number - 1] === undefined) return { type: 'none' };
  const careful = await planAll(journals.slice(0, number));
  const planned = how === 'forced' ? careful.map(insist) : careful;
  if (planned.some(({ change }) => change.type === 'changed-since'))
    return { type: 'refused', changes: planned.map(({ change }) => change) };
  const id = newId('turn', now);
  if (planned.some(isActive)) await begin({ folder, id, order: nextOrder(journals), at: now }, planned, kept);
  const changes = await restoreAll(planned, kept, locks);
  if (planned.some(isActive)) await appendToJournal(folder, id, [{ type: 'done' }]);
  return { type: 'done', changes };
}

async function planAll(journals: readonly Journal[]): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const path of pathsOf(journals)) planned.push(planFile(path, journals, (await look(path)).state));
  return planned;
}

/** What an interrupted rollback had still to do. What it did is as it should be by now. */
async function planRest({ lines }: Journal): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const { path, before, after: target } of lines) {
    const now = (await look(path)).state;
    const isOurs = isSameContent(now, target) || (before !== undefined && isSameContent(now, before));
    const type = !isOurs ? 'changed-since' : target.type === 'absent' ? 'removed' : 'put-back';
    planned.push({ path, now, target, change: { path, type } });
  }
  return planned;
}

async function begin(
  { folder, id, ...place }: { readonly folder: string } & Pick<Journal, 'id' | 'order' | 'at'>,
  planned: readonly PlannedFile[],
  kept: KeptFiles,
): Promise<void> {
  const writes = [];
  for (const { path, target } of planned.filter(isActive))
    writes.push({ type: 'write', path, before: await kept.keep(path), after: target } as const);
  await writeJournal(folder, id, [{ type: 'begun', kind: 'rollback', ...place }, ...writes]);
}

async function restoreAll(
  planned: readonly PlannedFile[],
  kept: KeptFiles,
  locks: PathLocks,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const file of planned)
    changes.push(isActive(file) ? await locks.run(file.path, () => restoreOne(file, kept)) : file.change);
  return changes;
}

async function restoreOne({ path, now, target, change }: PlannedFile, kept: KeptFiles): Promise<FileChange> {
  try {
    if (realPath(path) !== path) return { path, type: 'failed', reason: 'a link has taken its place' };
    if (!isSameContent((await look(path)).state, now)) return { path, type: 'changed-since' };
    const reason = await kept.restore(path, target);
    return reason === undefined ? change : { path, type: 'failed', reason };
  } catch (thrown) {
    return { path, type: 'failed', reason: describeError(thrown) };
  }
}

function isActive({ change }: PlannedFile): boolean {
  return change.type === 'put-back' || change.type === 'removed';
}
