import { folderMark } from '../task-state.ts';
import { quote } from './call-ticket.ts';

export interface ScriptOptions {
  readonly folder: string;
  /** What earlier commands left, as files of bash commands. */
  readonly stateFiles: readonly string[];
  /** The names in the environment that every shell is given. */
  readonly given: readonly string[];
  /** What is done before, and after, the state is taken up. */
  readonly before?: string;
  readonly after?: string;
}

/** The open file in which a command leaves its state. Small numbers are the commands', those from 10 up and 63 down bash's own. */
export const leftFile = 41;

/** Opens the file in which a command leaves its state. */
export function openLeft(file: string): string {
  return `exec ${leftFile}>>${quote(file)}`;
}

/**
 * The text that bash runs around a command (its `$1`): it takes up the environment that the last one left, goes to the
 * folder, and writes both to the opened file at the end, even when the command calls `exit` or sets a trap of its own. It
 * uses nothing but builtins, since each further process would cost as much as the shell itself.
 */
export function wrapCommand({ folder, stateFiles, given, before, after }: ScriptOptions): string {
  // What the last command unset must not come back from the environment that every shell is given.
  const forget = `builtin echo ${quote(`unset -v ${given.join(' ')}`)}`;
  const tell = `${forget}; builtin export -p; builtin echo ${quote(folderMark)}; builtin pwd`;
  const end = String.raw`builtin printf '\0'`;
  // The file is closed behind the state, so that it is written once, by whichever comes first: the end or the trap.
  const save = `{ { ${end}; ${tell}; ${end}; } >&${leftFile}; exec ${leftFile}>&-; } 2>/dev/null`;
  const enter = `builtin cd -- ${quote(folder)} || exit 126`;
  // All on one line, so that the line numbers in bash's messages are those of the command.
  const start = [
    ...(before === undefined ? [] : [before]),
    ...stateFiles.map((file) => `. ${quote(file)} 2>/dev/null`),
    ...(after === undefined ? [] : [after]),
    `set -- "$1" "$OLDPWD"; ${enter}; OLDPWD=$2`,
    `trap -- ${quote(save)} EXIT`,
  ].join('; ');
  return `${start}; eval "set --;$1"\n{ set -- "$?"; ${save}; } 2>/dev/null; exit "$1"`;
}
