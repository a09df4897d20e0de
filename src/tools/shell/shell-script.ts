import { chmodSync, renameSync, rmSync } from 'node:fs';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { folderMark, readState, recordedIn, stateFile } from '../task-state.ts';

/** Where one command leaves its environment and folder. Each writes a file of its own, so that no two can mix. */
export interface LeftState {
  readonly folder: string;
  /** Distinguishes the file of this command from that of any other. */
  readonly stamp: string;
}

/**
 * The text that bash runs around a command (its `$1`): it takes up the environment that the last one left, goes to the
 * folder, and writes both down at the end, even when the command calls `exit` or sets a trap of its own. It uses nothing
 * but builtins, since each further process would cost as much as the shell itself.
 */
export function wrapCommand(folder: string, left: LeftState, given: readonly string[]): string {
  const file = quote(leftFile(left));
  // What the last command unset must not come back from the environment that every shell is given.
  const forget = `builtin echo ${quote(`unset -v ${given.join(' ')}`)}`;
  const write = `{ ${forget}; builtin export -p; builtin echo ${quote(folderMark)}; builtin pwd; } >|${file}`;
  const save = `{ [ -e ${file} ] || ${write}; } 2>/dev/null`;
  const takeUp = `. ${quote(stateFile(left.folder))} 2>/dev/null`;
  const enter = `builtin cd -- ${quote(folder)} || exit 126`;
  // All on one line, so that the line numbers in bash's messages are those of the command.
  const before = `exec 2>&1; ${takeUp}; set -- "$1" "$OLDPWD"; ${enter}; OLDPWD=$2; trap -- ${quote(save)} EXIT`;
  return `${before}; eval "set --;$1"\n{ set -- "$?"; ${save}; } 2>/dev/null; exit "$1"`;
}

/**
 * Makes what a command left the state that the next one takes up, in one step; a command that left nothing whole changes
 * nothing. Returns what went wrong, if anything did.
 */
export function adoptState(left: LeftState): string | undefined {
  const state = readState(leftFile(left));
  if (state === undefined) return undefined;
  try {
    // Most commands change nothing, and putting a file in the place of another makes some file systems wait for the disk.
    if (recordedIn(state) === undefined || state === readState(stateFile(left.folder))) discardState(left);
    else {
      chmodSync(leftFile(left), 0o600);
      renameSync(leftFile(left), stateFile(left.folder));
    }
    return undefined;
  } catch (thrown) {
    // A missing folder means that the task was ended meanwhile.
    return systemErrorCode(thrown) === 'ENOENT' ? undefined : describeError(thrown);
  }
}

export function discardState(left: LeftState): void {
  rmSync(leftFile(left), { force: true });
}

function leftFile(left: LeftState): string {
  return `${stateFile(left.folder)}.${left.stamp}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
