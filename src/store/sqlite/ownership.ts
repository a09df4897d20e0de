import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { localTime } from '../../base/local-time.ts';
import { closeToOthers, privateFileMode } from '../private-folder.ts';
import { isBusy } from './sqlite-errors.ts';
import { ownerLockName, ownerNoteName } from './store-files.ts';
import type { StoreFiles } from './store-files.ts';

export interface Ownership {
  release(): void;
}

/**
 * Makes this process the only one that opens the store. The lock is an exclusive transaction on a small database of its
 * own: the system drops it with the process, however that ends, so no stale lock can stay behind.
 */
export function takeOwnership(files: StoreFiles, now: number): Ownership {
  const lock = new DatabaseSync(files.ownerLock);
  try {
    closeToOthers(files.ownerLock);
    // An exclusive transaction otherwise leaves an empty journal beside the file.
    lock.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
    writeNote(files.ownerNote, now);
  } catch (thrown) {
    lock.close();
    throw isBusy(thrown) ? alreadyRunning(files.ownerNote) : thrown;
  }
  // An open database that nothing refers to is closed by the garbage collector, and the lock would go with it.
  const keep = (): boolean => lock.isOpen;
  process.on('exit', keep);
  return {
    release() {
      process.off('exit', keep);
      rmSync(files.ownerNote, { force: true });
      lock.close();
    },
  };
}

/** The process that holds a store, and since when. */
export interface Holder {
  readonly pid: number;
  readonly since: string;
}

/** Who holds the store. The lock is looked at and never tried: to try it could keep another process from taking it. */
export function findHolder(folder: string): Holder | undefined {
  const note = readNote(join(folder, ownerNoteName));
  return note !== undefined && isHeldBy(note.pid, join(folder, ownerLockName)) ? note : undefined;
}

/** A note that a killed process left names a number that may be someone else's by now. */
function isHeldBy(pid: number, lockPath: string): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const lock = realpathSync(lockPath);
    return readdirSync(`/proc/${pid}/fd`).some((name) => linkTarget(`/proc/${pid}/fd/${name}`) === lock);
  } catch {
    return false; // gone, or another user's
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

/** The note only words the message to a second start; nothing is decided by it. */
function writeNote(path: string, now: number): void {
  const note = { pid: process.pid, since: new Date(now).toISOString() };
  try {
    writeFileSync(path, JSON.stringify(note), { mode: privateFileMode });
    closeToOthers(path);
  } catch (thrown) {
    // A full disk must not keep the program from reading what it has.
    if (systemErrorCode(thrown) !== 'ENOSPC') throw thrown;
  }
}

function alreadyRunning(notePath: string): AppError {
  const note = readNote(notePath);
  const details = note === undefined ? '' : ` (pid ${note.pid}, since ${localTime(note.since)})`;
  return new AppError('already-running', `already running${details}`);
}

function readNote(path: string): Holder | undefined {
  try {
    const note = parseJson(readFileSync(path, 'utf8'));
    if (!isJsonObject(note)) return undefined;
    const { pid, since } = note;
    return typeof pid === 'number' && typeof since === 'string' ? { pid, since } : undefined;
  } catch (thrown) {
    // The holder has the lock and has not written its note yet.
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
