import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { privateFileMode } from '../private-folder.ts';

const lookMs = 50;
/** Longer than any work that is done under such a lock. */
const staleMs = 60_000;

/**
 * Waits until no other process holds the lock, and holds it: a file with the number of the process that made it. In the
 * system's own time, in which other processes live. One that died over its work holds nothing.
 */
export async function takeFileLock(path: string): Promise<AsyncDisposable> {
  while (!(await tryToMake(path))) {
    if (await isStale(path)) await rm(path, { force: true });
    else await systemClock.sleep(lookMs);
  }
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

async function tryToMake(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx', mode: privateFileMode });
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    const holder = Number(await readFile(path, 'utf8'));
    return Date.now() - mtimeMs > staleMs || (holder > 0 && !isAlive(holder));
  } catch (thrown) {
    // Given back between two looks.
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return systemErrorCode(thrown) !== 'ESRCH';
  }
}
