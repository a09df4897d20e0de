/** A command behind its wrappers (`sudo`, `env`, `timeout 5` …), or a text that another shell would run. */
export type Unwrapped =
  | { readonly type: 'command'; readonly words: readonly string[] }
  | { readonly type: 'shell-text'; readonly text: string };

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
    chroot: { valued: '', operands: 1 },
    command: { valued: '', operands: 0 },
    coproc: { valued: '', operands: 0 },
    doas: { valued: 'uC', operands: 0 },
    env: { valued: 'uC', operands: 0 },
    exec: { valued: 'a', operands: 0 },
    flock: { valued: 'wE', operands: 1 },
    ionice: { valued: 'cnp', operands: 0 },
    nice: { valued: 'n', operands: 0 },
    nohup: { valued: '', operands: 0 },
    setsid: { valued: '', operands: 0 },
    stdbuf: { valued: 'ioe', operands: 0 },
    sudo: { valued: 'ugpCTrtUDRh', operands: 0 },
    time: { valued: 'fo', operands: 0 },
    timeout: { valued: 'ks', operands: 1 },
    toybox: { valued: '', operands: 0 },
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

/** Stands for a word that cannot be known; as the first word it may as well be nothing. */
export const unknownWord = '\uE001';

const deepest = 8;
const assignment = /^[A-Za-z_]\w*\+?=/;
const keyword = /^(?:if|then|else|elif|do|while|until|!|\{|\}|fi|done|esac)$/;

/** Everything that a command of known words would run: itself without wrappers, and texts handed to other shells. */
export function unwrapCommand(words: readonly string[], depth = 0): readonly Unwrapped[] {
  const start = words.findIndex((word) => !isBeforeCommand(word));
  if (start === -1 || depth > deepest) return [];
  const [first = '', ...rest] = words.slice(start);
  const name = commandName(first);
  if (name === 'eval') return [{ type: 'shell-text', text: rest.join(' ') }];
  if (name === 'trap') return [{ type: 'shell-text', text: rest.find((word) => !word.startsWith('-')) ?? '' }];
  if (name === 'function') return unwrapCommand(rest.slice(1), depth + 1);
  if (name === 'find') return findActions(rest).flatMap((action) => unwrapCommand(action, depth + 1));
  const itself: Unwrapped = { type: 'command', words: [name, ...rest] };
  if (shells.has(name)) return [itself, ...shellTexts(rest)];
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return [itself];
  return [itself, ...splitStrings(name, rest), ...unwrapCommand(skipOptions(rest, wrapper), depth + 1)];
}

function isBeforeCommand(word: string): boolean {
  return word === unknownWord || assignment.test(word) || keyword.test(word);
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
function splitStrings(name: string, words: readonly string[]): readonly Unwrapped[] {
  if (name !== 'env') return [];
  return words.flatMap((word, index): readonly Unwrapped[] => {
    if (word === '-S' || word === '--split-string') return [{ type: 'shell-text', text: words[index + 1] ?? '' }];
    const glued = /^(?:-S|--split-string=)(.+)$/s.exec(word)?.[1];
    return glued === undefined ? [] : [{ type: 'shell-text', text: glued }];
  });
}

function shellTexts(words: readonly string[]): readonly Unwrapped[] {
  const flag = words.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word) || word === '--command');
  if (flag === -1) return [];
  const text = words.slice(flag + 1).find((word) => !/^[-+]/.test(word));
  return text === undefined ? [] : [{ type: 'shell-text', text }];
}

function findActions(words: readonly string[]): readonly (readonly string[])[] {
  return words.flatMap((word, index) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) return [];
    const rest = words.slice(index + 1);
    const end = rest.findIndex((part) => part === ';' || part === '+');
    return [end === -1 ? rest : rest.slice(0, end)];
  });
}
