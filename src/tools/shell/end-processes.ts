import { systemClock } from '../../base/clock.ts';
import { isGroupAlive, processesWith, signalGroup, signalProcess } from './process-group.ts';

const tickMs = 50;
const graceTicks = 20;

/**
 * Ends these groups, and every process that carries the entry in its environment, whatever group that is in: asks them to,
 * gives them a second, then leaves them no choice.
 */
export async function endProcesses(entry: string, groups: readonly number[]): Promise<void> {
  for (const group of groups) signalGroup(group, 'SIGTERM');
  const asked = new Set<number>();
  for (let tick = 0; tick < graceTicks; tick += 1) {
    const stragglers = processesWith(entry);
    // Never trust the first look: a process that is just starting a program shows no environment for a moment.
    if (stragglers.length === 0 && tick > 0 && !groups.some(isGroupAlive)) return;
    for (const pid of stragglers.filter((each) => !asked.has(each))) {
      asked.add(pid);
      signalProcess(pid, 'SIGTERM');
    }
    await systemClock.sleep(tickMs);
  }
  for (const group of groups) signalGroup(group, 'SIGKILL');
  for (const pid of processesWith(entry)) signalProcess(pid, 'SIGKILL');
}
