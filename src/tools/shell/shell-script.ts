import { folderMark } from '../task-state.ts';
import { quote } from './call-ticket.ts';

export interface ScriptOptions {
  readonly folder: string;
  /** What the last command left, as a file of bash commands. */
  readonly stateFile: string;
  /** Where this one leaves it. */
  readonly leftFile: string;
  /** The names in the environment that every shell is given. */
  readonly given: readonly string[];
}

// Small numbers belong to the commands. Those from 10 upwards and from 63 downwards bash hands out itself.
const state = 41;

/**
 * The text that bash runs around a command (its `$1`): it takes up the environment that the last one left, goes to the
 * folder, and writes both to a file at the end, even when the command calls `exit` or sets a trap of its own. It uses
 * nothing but builtins, since each further process would cost as much as the shell itself.
 */
export function wrapCommand({ folder, stateFile, leftFile, given }: ScriptOptions): string {
  // What the last command unset must not come back from the environment that every shell is given.
  const forget = `builtin echo ${quote(`unset -v ${given.join(' ')}`)}`;
  const tell = `${forget}; builtin export -p; builtin echo ${quote(folderMark)}; builtin pwd`;
  const end = String.raw`builtin printf '\0'`;
  // The file is closed behind the state, so that it is written once, by whichever comes first: the end or the trap.
  const save = `{ { ${end}; ${tell}; ${end}; } >&${state}; exec ${state}>&-; } 2>/dev/null`;
  const enter = `builtin cd -- ${quote(folder)} || exit 126`;
  // All on one line, so that the line numbers in bash's messages are those of the command.
  const before = [
    `exec ${state}>>${quote(leftFile)}`,
    `. ${quote(stateFile)} 2>/dev/null`,
    `set -- "$1" "$OLDPWD"; ${enter}; OLDPWD=$2`,
    `trap -- ${quote(save)} EXIT`,
  ].join('; ');
  return `${before}; eval "set --;$1"\n{ set -- "$?"; ${save}; } 2>/dev/null; exit "$1"`;
}
