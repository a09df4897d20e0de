import { unknownText } from './expand-word.ts';

/** A command behind its wrappers (`sudo`, `env`, `timeout 5` …), or a text that another shell would run. */
export type Unwrapped =
  | { readonly type: 'command'; readonly words: readonly string[] }
  | { readonly type: 'shell-text'; readonly text: string }
  /** For a shell of another machine. */
  | { readonly type: 'remote-text'; readonly text: string };

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued: string;
  /** Words before the command that are not options. */
  readonly operands: number;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries({
    builtin: { valued: '', operands: 0 },
    busybox: { valued: '', operands: 0 },
    caffeinate: { valued: 'tw', operands: 0 },
    chroot: { valued: '', operands: 1 },
    chrt: { valued: 'TPD', operands: 1 },
    command: { valued: '', operands: 0 },
    doas: { valued: 'uC', operands: 0 },
    env: { valued: 'uC', operands: 0 },
    exec: { valued: 'a', operands: 0 },
    fakeroot: { valued: 'lisb', operands: 0 },
    flock: { valued: 'wE', operands: 1 },
    gosu: { valued: '', operands: 1 },
    ionice: { valued: 'cnp', operands: 0 },
    ltrace: { valued: 'aAeDFlnopsuwxX', operands: 0 },
    nice: { valued: 'n', operands: 0 },
    nohup: { valued: '', operands: 0 },
    nsenter: { valued: 'tSGw', operands: 0 },
    parallel: { valued: 'jNLI', operands: 0 },
    pkexec: { valued: '', operands: 0 },
    prlimit: { valued: 'p', operands: 0 },
    setpriv: { valued: '', operands: 0 },
    setsid: { valued: '', operands: 0 },
    stdbuf: { valued: 'ioe', operands: 0 },
    strace: { valued: 'abeEIoOpPsSuUX', operands: 0 },
    sudo: { valued: 'ugpCTrtUDRh', operands: 0 },
    'systemd-run': { valued: 'puHMtE', operands: 0 },
    taskset: { valued: '', operands: 1 },
    time: { valued: 'fo', operands: 0 },
    timeout: { valued: 'ks', operands: 1 },
    toybox: { valued: '', operands: 0 },
    unshare: { valued: 'SGRw', operands: 0 },
    watch: { valued: 'nq', operands: 0 },
    xargs: { valued: 'IinPLdsaE', operands: 0 },
  }),
);

const shells: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'su',
  'runuser',
]);

const deepest = 8;
const assignment = /^[A-Za-z_]\w*\+?=/;

/** Everything that a command would run: itself without wrappers, and texts handed or fed to other shells. */
export function unwrapCommand(words: readonly string[], fed: readonly string[], depth = 0): readonly Unwrapped[] {
  // A name that is not known may as well be nothing, or a wrapper.
  const start = words.findIndex((word) => !commandName(word).includes(unknownText));
  if (start === -1 || depth > deepest) return [];
  const [first = '', ...rest] = words.slice(start);
  const name = commandName(first);
  if (name === 'eval') return [toShellText(rest.join(' '))];
  if (name === 'trap') return [toShellText(rest.find((word) => !word.startsWith('-')) ?? '')];
  const itself: Unwrapped = { type: 'command', words: [name, ...rest] };
  if (name === 'find') return [itself, ...findActions(rest).flatMap((action) => unwrapCommand(action, fed, depth + 1))];
  if (name === 'ssh') return [itself, { type: 'remote-text', text: skipOptions(rest, sshOptions).join(' ') }];
  if (shells.has(name)) return [itself, ...[...shellTexts(rest), ...fed].map(toShellText)];
  const texts = textsOf(name, rest, fed).map(toShellText);
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return [itself, ...texts];
  const inner = skipOptions(rest, wrapper);
  // What it reads becomes words of what it runs.
  const run = name === 'xargs' ? [...inner, ...fed.flatMap((text) => text.split(/\s+/))] : inner;
  return [itself, ...texts, ...unwrapCommand(run, fed, depth + 1)];
}

const sshOptions: Wrapper = { valued: 'BbcDEeFIiJLlmOopQRSWw', operands: 1 };

/** Texts that a program which is no shell hands to one. */
function textsOf(name: string, rest: readonly string[], fed: readonly string[]): readonly string[] {
  switch (name) {
    case 'env':
      return splitStrings(rest);
    case 'flock':
    case 'script':
    case 'sg':
      return shellTexts(rest);
    case 'watch':
      return [rest.filter((word) => !word.startsWith('-')).join(' ')];
    case 'sudo':
    case 'doas':
      return rest.some((word) => /^-[A-Za-z]*[is]$/.test(word)) ? fed : [];
    default:
      return [];
  }
}

function toShellText(text: string): Unwrapped {
  return { type: 'shell-text', text };
}

/** `/sbin/reboot` and `\reboot` are `reboot`. */
function commandName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function skipOptions(words: readonly string[], wrapper: Wrapper): readonly string[] {
  let operands = wrapper.operands;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') continue;
    if (/^-[A-Za-z]$/.test(word) && wrapper.valued.includes(word.slice(1))) at += 1;
    else if (word.startsWith('-') || assignment.test(word)) continue;
    else if (operands > 0) operands -= 1;
    else return words.slice(at);
  }
  return [];
}

/** `env -S 'rm -rf /'` splits its value into a command. */
function splitStrings(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === '-S' || word === '--split-string') return words.slice(index + 1, index + 2);
    return /^(?:-S|--split-string=)(.+)$/s.exec(word)?.[1] ?? [];
  });
}

function shellTexts(words: readonly string[]): readonly string[] {
  const flag = words.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word) || word === '--command');
  if (flag === -1) return [];
  return words
    .slice(flag + 1)
    .filter((word) => !/^[-+]/.test(word))
    .slice(0, 1);
}

/** The commands of `-exec` and the like, each up to its `;` or `+`. */
function findActions(words: readonly string[]): readonly (readonly string[])[] {
  const actions: string[][] = [];
  let action: string[] | undefined;
  for (const word of words) {
    if (action === undefined) {
      if (/^-(?:exec|execdir|ok|okdir)$/.test(word)) actions.push((action = []));
    } else if (word === ';' || word === '+') action = undefined;
    else action.push(word);
  }
  return actions;
}
