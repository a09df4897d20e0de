import { systemErrorCode } from '../base/errors.ts';

/**
 * What the system says about a file or folder that it cannot use, as one line that names it; undefined for every other
 * error. These are for the user to mend: the program did as it was told. Pure.
 */
export function describePathProblem(thrown: unknown): string | undefined {
  // What went wrong first is what matters, not what went wrong while cleaning up behind it.
  if (thrown instanceof SuppressedError) return describePathProblem(thrown.suppressed);
  const reason = reasons[systemErrorCode(thrown) ?? ''];
  if (reason === undefined || !(thrown instanceof Error)) return undefined;
  const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : '';
  // A program that cannot be started has a path too.
  const isSpawn = 'syscall' in thrown && String(thrown.syscall).startsWith('spawn');
  return path === '' || isSpawn ? undefined : `cannot use ${path}: ${reason}`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'there is something else of that name',
  EISDIR: 'it is a folder',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of it is a file, not a folder',
  EPERM: 'the system does not permit it',
  EROFS: 'it is on a disk that cannot be written to',
};
