import type { ShellScope } from './expand-word.ts';
import { isGuardedTarget, isRawDisk } from './guarded-targets.ts';

/** What a command of these words would destroy, or undefined. The first word is the bare name of a program. */
export function judgeWords(words: readonly string[], scope: ShellScope): string | undefined {
  const [name = '', ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (name === 'rm') {
    const target = operands.find((word) => isGuardedTarget(word, scope));
    if (target !== undefined) return `deleting ${target}`;
  }
  if (name === 'mkfs' || name.startsWith('mkfs.')) return 'making a new file system over an old one';
  if (name === 'dd') return describeOverwriting(rest.flatMap((word) => /^of=(.*)$/s.exec(word)?.[1] ?? []));
  if (/^(?:tee|cp|mv|install|truncate|shred|wipefs)$/.test(name)) return describeOverwriting(operands);
  if (name === 'kill' && isKillAll(rest)) return 'ending every process';
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return 'switching the machine off';
  if (/^(?:init|telinit)$/.test(name) && /^[06]$/.test(operands[0] ?? '')) return 'switching the machine off';
  if (name === 'systemctl' && operands.some((word) => /^(?:poweroff|reboot|halt|kexec)$/.test(word))) {
    return 'switching the machine off';
  }
  return undefined;
}

/** What writing to these paths would destroy, if one of them is a disk. */
export function describeOverwriting(paths: readonly string[]): string | undefined {
  const disk = paths.find(isRawDisk);
  return disk === undefined ? undefined : `writing over the disk ${disk}`;
}

/** `kill -9 -1` and the like reach every process; `kill -1 77` only sends a signal to one. */
function isKillAll(words: readonly string[]): boolean {
  const isSignal = /^-(?:[0-9]+|[A-Z][A-Z0-9]*)$/i.test(words[0] ?? '') && words[0] !== '-s' && words[0] !== '-n';
  if (words.length === 1 && words[0] === '-1') return true;
  return words.slice(isSignal ? 1 : 0).includes('-1');
}
