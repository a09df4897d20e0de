import type { FileChange } from '../../model/file-history.ts';
import type { Journal } from './journal.ts';
import { isSameContent } from './kept-files.ts';
import type { FileState } from './kept-files.ts';

/** What would be made of a file. */
export interface PlannedFile {
  readonly path: string;
  readonly now: FileState;
  readonly target: FileState;
  readonly change: FileChange;
}

/** The files that a stretch of checkpoints wrote, those that were written first last: so emptied folders can go with them. */
export function pathsOf(journals: readonly Journal[]): readonly string[] {
  const oldestFirst = journals.toReversed().flatMap(({ lines }) => lines.map(({ path }) => path));
  return [...new Set(oldestFirst)].toReversed();
}

/**
 * What putting a file back means, given every checkpoint to be taken back, newest first, and what stands there now. A
 * content that none of our writes left or found in its place is someone else's. Pure.
 */
export function planFile(path: string, journals: readonly Journal[], now: FileState): PlannedFile {
  const writes = journals.toReversed().flatMap(({ lines }) => lines.filter((line) => line.path === path));
  const target = writes[0]?.before ?? { type: 'not-kept', reason: 'what was there before is not known' };
  const decided = decideChange(target, writes, now);
  return { path, now, target, change: { path, ...decided } };
}

function decideChange(
  target: FileState,
  writes: readonly Journal['lines'][number][],
  now: FileState,
): Pick<FileChange, 'type' | 'reason'> {
  if (target.type === 'not-kept') return { type: 'not-kept', reason: target.reason };
  if (isSameState(target, now)) return { type: 'as-it-was' };
  const known: FileState[] = [];
  for (const { before, after } of writes) {
    if (before !== undefined && known.length > 0 && !isAmong(before, known)) return { type: 'changed-since' };
    if (before !== undefined) known.push(before);
    known.push(after);
  }
  if (!isAmong(now, known)) return { type: 'changed-since' };
  return { type: target.type === 'absent' ? 'removed' : 'put-back' };
}

/** What becomes of a file that someone else changed, where the user insists. */
export function insist({ target, change, ...planned }: PlannedFile): PlannedFile {
  if (change.type !== 'changed-since') return { ...planned, target, change };
  const type = target.type === 'absent' ? 'removed' : 'put-back';
  return { ...planned, target, change: { path: change.path, type } };
}

function isAmong(state: FileState, known: readonly FileState[]): boolean {
  return known.some((each) => isSameContent(each, state));
}

function isSameState(left: FileState, right: FileState): boolean {
  if (!isSameContent(left, right)) return false;
  return left.type !== 'file' || right.type !== 'file' || left.mode === right.mode;
}
