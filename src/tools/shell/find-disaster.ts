import { resolve } from 'node:path';
import { expandWord, revive } from './expand-word.ts';
import type { ShellScope } from './expand-word.ts';
import { parseShell } from './parse-command.ts';
import type { ShellItem, SimpleCommand } from './parse-command.ts';
import { isGuardedTarget, isRawDisk } from './guarded-targets.ts';
import { codesOf } from './scan-word.ts';
import { unknownWord, unwrapCommand } from './unwrap-command.ts';

const deepest = 12;

/**
 * What a shell text would destroy beyond repair, or undefined. It looks at commands, not at text: `echo reboot` is
 * harmless, `sudo /sbin/reboot` is not. It follows quoting, wrappers, substitutions and nested shells as far as their
 * words can be known without running anything.
 */
export function findDisaster(text: string, scope: ShellScope, depth = 0): string | undefined {
  const parsed = parseShell(text);
  if (parsed.type === 'unclear' || depth > deepest) return undefined;
  if (isForkBomb(parsed.items)) return 'a fork bomb';
  const outer: ShellScope[] = [];
  let current = scope;
  let piped: SimpleCommand | undefined;
  for (const item of parsed.items) {
    if (item.type === 'command') {
      const found = judgeCommand(item.command, piped, current, depth);
      if (found !== undefined) return found;
      piped = item.command;
    } else {
      if (item.text !== '|' && item.text !== '|&') piped = undefined;
      // What a subshell changes is gone when it ends.
      if (item.text === '(') {
        outer.push(current);
        current = copyScope(current);
      } else if (item.text === ')') current = outer.pop() ?? current;
    }
  }
  return undefined;
}

function copyScope(scope: ShellScope): ShellScope {
  return { ...scope, variables: new Map(scope.variables) };
}

function judgeCommand(
  command: SimpleCommand,
  piped: SimpleCommand | undefined,
  scope: ShellScope,
  depth: number,
): string | undefined {
  for (const code of allCodes(command)) {
    const found = findDisaster(code, copyScope(scope), depth + 1);
    if (found !== undefined) return found;
  }
  const overwritten = judgeRedirects(command, scope);
  if (overwritten !== undefined) return overwritten;
  // An unknown word keeps its place, so that the words around it are still read rightly.
  const words = command.words.flatMap((word) => expandWord(word, scope) ?? [unknownWord]);
  for (const unwrapped of unwrapCommand(words)) {
    const found =
      unwrapped.type === 'shell-text'
        ? findDisaster(revive(unwrapped.text), scope, depth + 1)
        : (judgeWords(unwrapped.words, scope) ?? judgeFedShell(unwrapped.words, command, piped, { scope, depth }));
    if (found !== undefined) return found;
  }
  followScope(words, scope);
  return undefined;
}

function allCodes(command: SimpleCommand): readonly string[] {
  const targets = command.redirects.map((redirect) => redirect.target);
  return [...command.words, ...targets, ...command.inputs].flatMap(codesOf);
}

function judgeRedirects(command: SimpleCommand, scope: ShellScope): string | undefined {
  for (const redirect of command.redirects) {
    if (redirect.operator.startsWith('<') && redirect.operator !== '<>') continue;
    const disk = expandWord(redirect.target, scope)?.find(isRawDisk);
    if (disk !== undefined) return `writing over the disk ${disk}`;
  }
  return undefined;
}

/** A shell without a script runs what it is fed: a here-document, or what `echo` prints into its pipe. */
function judgeFedShell(
  words: readonly string[],
  command: SimpleCommand,
  piped: SimpleCommand | undefined,
  where: { readonly scope: ShellScope; readonly depth: number },
): string | undefined {
  if (!/^(?:bash|sh|dash|zsh|ksh|ash)$/.test(words[0] ?? '')) return undefined;
  const fed = command.inputs.flatMap((input) => literalText([input]));
  const printed = piped === undefined ? [] : piped.words.flatMap((word) => literalText([word]));
  if (printed[0] === 'echo' || printed[0] === 'printf') fed.push(printed.slice(1).join(' '));
  for (const text of fed) {
    const found = findDisaster(text, where.scope, where.depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function literalText(words: SimpleCommand['words']): string[] {
  return words.map((word) => word.map((piece) => (piece.type === 'literal' ? piece.text : '')).join(''));
}

function judgeWords(words: readonly string[], scope: ShellScope): string | undefined {
  const [name = '', ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (name === 'rm') {
    const target = operands.find((word) => isGuardedTarget(word, scope));
    if (target !== undefined) return `deleting ${target}`;
  }
  if (name === 'mkfs' || name.startsWith('mkfs.')) return 'making a new file system over an old one';
  if (name === 'dd') return disaster(rest.find((word) => word.startsWith('of=') && isRawDisk(word.slice(3))));
  if (/^(?:tee|cp|mv|install|truncate|shred|wipefs)$/.test(name)) return disaster(operands.find(isRawDisk));
  if (name === 'kill' && isKillAll(rest)) return 'ending every process';
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return 'switching the machine off';
  if (/^(?:init|telinit)$/.test(name) && /^[06]$/.test(operands[0] ?? '')) return 'switching the machine off';
  if (name === 'systemctl' && operands.some((word) => /^(?:poweroff|reboot|halt|kexec)$/.test(word))) {
    return 'switching the machine off';
  }
  return undefined;
}

function disaster(disk: string | undefined): string | undefined {
  return disk === undefined ? undefined : `writing over the disk ${disk.replace(/^of=/, '')}`;
}

/** `kill -9 -1` and the like reach every process; `kill -1 77` only sends a signal to one. */
function isKillAll(words: readonly string[]): boolean {
  const isSignal = /^-(?:[0-9]+|[A-Z][A-Z0-9]*)$/i.test(words[0] ?? '') && words[0] !== '-s' && words[0] !== '-n';
  if (words.length === 1 && words[0] === '-1') return true;
  return words.slice(isSignal ? 1 : 0).includes('-1');
}

/** Notes where `cd` leads and what is assigned, for the commands that follow. */
function followScope(words: readonly string[], scope: ShellScope): void {
  const [first = '', second] = words;
  if (first === 'cd' || first === 'pushd') scope.folder = followFolder(second, scope);
  for (const word of words[0] === 'export' ? words.slice(1) : words) {
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(word);
    if (assigned === null) return;
    const [, name = '', value = ''] = assigned;
    if (value.includes(unknownWord)) scope.variables.delete(name);
    else scope.variables.set(name, revive(value).replace(/^~(?=\/|$)/, scope.home));
  }
}

function followFolder(target: string | undefined, scope: ShellScope): string | undefined {
  if (target === undefined) return scope.home;
  if (target === '-' || target.includes(unknownWord)) return undefined;
  if (target.startsWith('/')) return resolve(target);
  return scope.folder === undefined ? undefined : resolve(scope.folder, target);
}

/** `:(){ :|:& };:` under any name: a function that starts itself twice in the background. */
function isForkBomb(items: readonly ShellItem[]): boolean {
  const shape = items.flatMap((item) => (item.type === 'operator' ? [item.text] : bareWords(item.command))).join(' ');
  return /(?:^|\s)(?:function )?(\S+) (?:\( \) )?\{ \1 \| \1 & \}/.test(
    shape.replaceAll('\n', ' ').replaceAll(/ +/g, ' '),
  );
}

function bareWords(command: SimpleCommand): readonly string[] {
  return command.words.map((word) => {
    return word.map((piece) => (piece.type === 'literal' && piece.quoting === 'bare' ? piece.text : '"')).join('');
  });
}
