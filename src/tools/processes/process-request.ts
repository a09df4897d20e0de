import { quote } from '../shell/call-ticket.ts';
import type { Enclosure } from '../shell/enclosure.ts';
import { describeSelf } from './supervisor-script.ts';

export interface RequestOptions {
  readonly command: string;
  readonly workdir: string;
  /** What the session's last command left: its exported variables. */
  readonly stateFile: string;
  readonly terminal: 'none' | 'pty';
  /** The user's own shell, in whose place another one starts a command in a pty. */
  readonly shell: string | undefined;
}

// Far more than a sensible program starts, and few enough for the system to stay usable.
const mostNewTasks = 4096;
// Bash calls a terminal that it was told nothing about a dumb one.
const describeTerminal =
  'stty rows 40 cols 120 2> /dev/null; case ${TERM:-dumb} in dumb) export TERM=xterm-256color ;; esac';

/**
 * What the shell of a background process does before the command, which it leaves as `$1`. It says who it is, takes up the
 * environment that the session's last command left, and bounds what can be forked: no system has more tasks than it counts,
 * so that this many more are left to the user, whoever has started what. The super-user is bound by nothing.
 */
export function writeRequest(options: RequestOptions): string {
  const bound = `{ read -r _ _ _ tasks _ < /proc/loadavg && ulimit -S -u $((\${tasks#*/} + ${mostNewTasks})); unset tasks; } 2> /dev/null`;
  return [...describeItself, bound, ...prepareCommand(options, [options.stateFile]), ''].join('\n');
}

/**
 * The same for one that is enclosed: the shell makes way for another one inside, which does what the second text says. A pty
 * is made inside, too, so that it is nobody else's.
 */
export function writeEnclosedRequest(
  options: RequestOptions,
  { ready, files, launch, requestFile, stateFiles, before, after }: Enclosure,
  bash: string,
): Enclosure['files'] & { readonly request: string; readonly inside: string } {
  const run = `. ${quote(requestFile)}; eval "set --;$1"`;
  const shell = `${quote(bash)} --norc -c ${quote(run)} bash`;
  const program = options.terminal === 'pty' ? `script -qefc ${quote(shell)} /dev/null` : shell;
  const shellOfScript = options.terminal === 'pty' ? [`export SHELL=${quote(bash)}`] : [];
  return {
    ...files,
    request: [...describeItself, ...shellOfScript, ready, `${launch} ${program}`, ''].join('\n'),
    inside: [before, ...prepareCommand(options, stateFiles, after), ''].join('\n'),
  };
}

const describeItself: readonly string[] = [describeSelf, 'describe_self > group; unset -f describe_self'];

function prepareCommand(
  { command, workdir, terminal, shell }: RequestOptions,
  stateFiles: readonly string[],
  after?: string,
): readonly string[] {
  const ownShell = shell === undefined ? 'unset -v SHELL' : `export SHELL=${quote(shell)}`;
  return [
    ...(terminal === 'pty' ? [ownShell] : []),
    'unset -v OLDPWD',
    ...stateFiles.map((file) => `. ${quote(file)} 2> /dev/null`),
    ...(after === undefined ? [] : [after]),
    ...(terminal === 'pty' ? [describeTerminal] : []),
    `set -- "$OLDPWD"; builtin cd -- ${quote(workdir)} || exit 126`,
    'if [ "$1" ]; then OLDPWD=$1; else unset -v OLDPWD; fi',
    `set -- ${quote(command)}`,
  ];
}

/** Variables as a file that a shell reads. */
export function writeVariables(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('');
}
