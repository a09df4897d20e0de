import { readFile } from 'node:fs/promises';
import { setImmediate as nextTick } from 'node:timers/promises';

/** Resolves once a process is gone; one that has died and was not collected counts as gone. */
export async function whenGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await nextTick();
}

/** Resolves once a child of this process is gone and this process has noticed it. */
export async function whenCollected(pid: number): Promise<void> {
  try {
    for (;;) {
      process.kill(pid, 0);
      await nextTick();
    }
  } catch {
    return;
  }
}

/** Whether a process runs; one that has died and was not collected does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  return !(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')).includes(') Z');
}
