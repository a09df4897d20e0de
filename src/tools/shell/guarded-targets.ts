import { matchesGlob, resolve } from 'node:path';
import { unknownText } from './expand-word.ts';
import type { ShellScope } from './expand-word.ts';

const systemRoots: readonly string[] = [
  '/',
  '/Applications',
  '/Library',
  '/System',
  '/Users',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/private',
  '/proc',
  '/root',
  '/sbin',
  '/sys',
  '/usr',
  '/usr/bin',
  '/usr/lib',
  '/usr/sbin',
  '/var',
];

const rawDisk =
  /^\/dev\/(?:sd[a-z]+\d*|hd[a-z]+\d*|x?vd[a-z]+\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)*|disk\/.+|mapper\/.+|md\d+|dm-\d+)$/;

export function isRawDisk(path: string): boolean {
  return path.startsWith('/') && !path.includes(unknownText) && rawDisk.test(resolve(path));
}

/** Whether deleting this target would take a system folder, a home or something above one, or all that is in them. */
export function isGuardedTarget(target: string, scope: ShellScope): boolean {
  if (target.includes(unknownText) || (!target.startsWith('/') && scope.folder === undefined)) return false;
  const path = resolve(scope.folder ?? '/', target);
  const folder = /\/(?:\*+|\.\*|\.\[.*)$/.test(path) ? resolve(path, '..') : path;
  const guarded = [...systemRoots, scope.home, ...foldersAbove(scope.home)];
  if (guarded.includes(folder)) return true;
  return /[*?[]/.test(folder) && guarded.some((root) => matchesGlob(root, folder));
}

function foldersAbove(path: string): readonly string[] {
  const parent = resolve(path, '..');
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}
