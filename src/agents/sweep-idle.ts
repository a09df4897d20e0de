import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { AgentCache } from './agent-cache.ts';

const everyMs = 5 * 60 * 1000;

export interface SweepDeps {
  readonly agents: Pick<AgentCache, 'sweepIdle'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Lets go of idle agents every few minutes, until the signal ends it. */
export async function sweepIdleAgents({ agents, clock, log }: SweepDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const rest = await sleepUnless(clock, everyMs, signal);
    if (rest === 'stopped') return;
    const count = agents.sweepIdle();
    if (count > 0) log.write('info', `${count} idle ${count === 1 ? 'agent was' : 'agents were'} let go of`);
  }
}
