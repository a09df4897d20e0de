import { findSweep } from './find-sweep.ts';
import type { ShellScope } from './expand-word.ts';
import { isGuardedTarget, isRawDisk } from './guarded-targets.ts';

/** What becomes of a machine that is told to stop. For another machine that is no disaster. */
export const switchingOff = 'switching the machine off';

/** What a command of these words would destroy, or undefined. The first word is the bare name of a program. */
export function judgeWords(words: readonly string[], scope: ShellScope): string | undefined {
  const [name = '', ...rest] = words;
  return judgeFiles(name, rest, scope) ?? judgeDisks(name, rest) ?? judgeMachine(name, rest);
}

function judgeFiles(name: string, rest: readonly string[], scope: ShellScope): string | undefined {
  const operands = operandsOf(rest);
  const guarded = (targets: readonly string[], what: string): string | undefined => {
    const target = targets.find((word) => isGuardedTarget(word, scope));
    return target === undefined ? undefined : `${what} ${target}`;
  };
  switch (name) {
    case 'rm':
      return guarded(operands, 'deleting');
    case 'mv': {
      // What stands in a home may be moved about in it; the home itself may not.
      const sources = operands.slice(0, -1).filter((word) => !/[*?[]/.test(word));
      return guarded(sources, 'moving away');
    }
    case 'chmod':
    case 'chown':
    case 'chgrp':
      return rest.some(isRecursive) ? guarded(operands.slice(1), 'changing the rights of everything in') : undefined;
    case 'rsync':
      return rest.some((word) => word.startsWith('--del')) ? guarded(operands.slice(-1), 'deleting') : undefined;
    case 'find':
      return findSweep(rest, scope);
    default:
      return undefined;
  }
}

function operandsOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function isRecursive(word: string): boolean {
  return /^-[A-Za-z]*R/.test(word) || word === '--recursive';
}

function judgeDisks(name: string, rest: readonly string[]): string | undefined {
  const operands = operandsOf(rest);
  if (/^(?:mkfs(?:\..*)?|mke2fs|newfs)$/.test(name)) return 'making a new file system over an old one';
  if (name === 'dd') return describeOverwriting(rest.flatMap((word) => /^of=(.*)$/s.exec(word)?.[1] ?? []));
  const isWriter =
    /^(?:tee|cp|mv|install|truncate|shred|wipefs|blkdiscard|mkswap|pvcreate)$/.test(name) ||
    (name === 'parted' && operands.some((word) => /^(?:mklabel|mktable|mkpart|rm)$/.test(word))) ||
    (name === 'sgdisk' && rest.some((word) => /^(?:-[Zo]|--zap-all|--zap|--clear)$/.test(word))) ||
    (name === 'cryptsetup' && operands.some((word) => /^(?:luksFormat|erase|luksErase|reencrypt)$/.test(word)));
  return isWriter ? describeOverwriting(operands) : undefined;
}

function judgeMachine(name: string, rest: readonly string[]): string | undefined {
  const operands = operandsOf(rest);
  if ((name === 'kill' && isKillAll(rest)) || name === 'killall5') return 'ending every process';
  if (name === 'pkill' && operands.some((word) => /^\.[*+]?$/.test(word))) return 'ending every process';
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return switchingOff;
  if (/^(?:init|telinit)$/.test(name) && /^[06]$/.test(operands[0] ?? '')) return switchingOff;
  const isManager = name === 'systemctl' || name === 'loginctl';
  const isOff = operands.some((word) => /^(?:poweroff|reboot|halt|kexec)(?:\.target)?$/.test(word));
  return isManager && isOff ? switchingOff : undefined;
}

/** What writing to these paths would destroy, if one of them is a disk, or the kernel's own emergency switch. */
export function describeOverwriting(paths: readonly string[]): string | undefined {
  if (paths.includes('/proc/sysrq-trigger')) return switchingOff;
  const disk = paths.find(isRawDisk);
  return disk === undefined ? undefined : `writing over the disk ${disk}`;
}

/** `kill -9 -1` and the like reach every process; `kill -1 77` only sends a signal to one. */
function isKillAll(words: readonly string[]): boolean {
  const isSignal = /^-(?:[0-9]+|[A-Z][A-Z0-9]*)$/i.test(words[0] ?? '') && words[0] !== '-s' && words[0] !== '-n';
  if (words.length === 1 && words[0] === '-1') return true;
  return words.slice(isSignal ? 1 : 0).includes('-1');
}
