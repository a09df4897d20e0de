import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { endProcesses } from '../shell/end-processes.ts';
import { groupOf } from './background-processes.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import type { ProcessTicket } from './process-ticket.ts';

const lookMs = 50;
const mostLooks = 60;

/** Ends the whole group of a process, and what left it, and waits until its end is on record. */
export async function endProcess(
  ticket: ProcessTicket,
  sessionId: SessionId,
  processes: BackgroundProcesses,
): Promise<void> {
  const { name, value } = processes.variableOf(sessionId, ticket);
  await endProcesses(`${name}=${value}`, groupOf(ticket));
  for (let look = 0; look < mostLooks && ticket.state().type === 'running'; look += 1) {
    await systemClock.sleep(lookMs);
  }
}
