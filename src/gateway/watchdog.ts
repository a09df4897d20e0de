import type { ActivityReport } from '../agents/activity.ts';
import type { Clock } from '../base/clock.ts';

export interface WatchdogDeps {
  readonly activity: () => ActivityReport;
  /** How long nothing may stir; undefined allows any time. */
  readonly limitMs: number | undefined;
  /** Told once, when half of that has passed. */
  readonly warn: (text: string) => void;
  /** Told when all of it has passed. */
  readonly end: (reason: string) => void;
  readonly clock: Clock;
}

/** Ends a turn in which nothing stirs. Watches until it is disposed of. */
export function watchTurn(deps: WatchdogDeps): AsyncDisposable {
  const over = new AbortController();
  const { limitMs } = deps;
  const watching = limitMs === undefined ? Promise.resolve() : watch({ ...deps, limitMs }, over.signal);
  return {
    async [Symbol.asyncDispose]() {
      // With a reason, since an error made for each turn would cost more than the watching.
      over.abort('over');
      await watching;
    },
  };
}

async function watch(deps: WatchdogDeps & { readonly limitMs: number }, signal: AbortSignal): Promise<void> {
  const { clock, limitMs } = deps;
  for (let hasWarned = false; !signal.aborted;) {
    const { at, description } = deps.activity();
    const idleMs = at === undefined ? 0 : clock.monotonic() - at;
    if (idleMs >= limitMs) {
      deps.end(describeEnd(idleMs, description));
      return;
    }
    if (!hasWarned && idleMs >= limitMs / 2) {
      hasWarned = true;
      deps.warn(describeWarning(idleMs, limitMs - idleMs, description));
    } else {
      await sleepUnlessOver(clock, (hasWarned ? limitMs : limitMs / 2) - idleMs, signal);
    }
  }
}

async function sleepUnlessOver(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

function describeWarning(idleMs: number, leftMs: number, description: string): string {
  const left = inWords(leftMs);
  return `Nothing has happened for ${inWords(idleMs)} (last: ${description}). In ${left} this turn is ended; /stop ends it now.`;
}

function describeEnd(idleMs: number, description: string): string {
  const last = `last: ${description}`;
  return `nothing happened for ${inWords(idleMs)} (${last}), so the turn was ended; agent.gateway_timeout says after how long`;
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)} minutes`;
}
