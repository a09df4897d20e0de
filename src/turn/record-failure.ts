import type { Clock } from '../base/clock.ts';
import type { ModelFailure } from '../model/provider.ts';
import { nextPlace } from '../model/runtime.ts';
import type { AfterFailure } from '../model/turn.ts';
import { describeFailure } from './decide-next.ts';
import { decideRetry } from './decide-retry.ts';
import type { CallHistory } from './decide-retry.ts';
import { currentPlace, currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/** Records a failed call with what follows from it, says so, and waits if that is what follows. */
export async function recordFailure(failure: ModelFailure, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const runtime = currentRuntime(deps);
  const { next, afterMs } = decideRetry(failure, historyOf(deps));
  if (next.type === 'fall-back' && isLimit(failure)) {
    deps.coolDowns.begin(runtime, failure.retryAfterMs, deps.clock.monotonic());
  }
  await deps.recorder.record([{ type: 'step.failed', failure, next }], signal);
  announce(failure, next, afterMs, deps);
  if (afterMs > 0) await sleepUnlessStopped(afterMs, deps.clock, signal);
  if (next.type === 'recover' && !signal.aborted) await deps.clients.rebuild(currentPlace(deps));
}

function historyOf(deps: StepDeps): CallHistory {
  const { failuresInARow, hasRecovered } = deps.recorder.state;
  const place = currentPlace(deps);
  return {
    failuresBefore: failuresInARow,
    hasRecovered,
    stage: place === deps.startPlace ? 'first-choice' : 'fallback',
    route: currentRuntime(deps).route,
    nextPlace: nextPlace(deps.clients.chain, place),
  };
}

function isLimit(failure: ModelFailure): failure is Extract<ModelFailure, { readonly type: 'http' }> {
  return failure.type === 'http' && (failure.status === 429 || failure.status === 402);
}

/** One short line that says what went wrong and what is done about it. */
function announce(failure: ModelFailure, next: AfterFailure, afterMs: number, deps: StepDeps): void {
  const why = describeFailure(failure);
  const seconds = Math.ceil(afterMs / 1000);
  if (next.type === 'retry' && afterMs > 0) notice(`${why}; trying again in ${seconds} s`, deps);
  if (next.type === 'recover') notice(`${why}; trying a fresh connection in ${seconds} s`, deps);
  if (next.type === 'fall-back')
    notice(`${why}; going on with ${deps.clients.chain[next.to]?.name ?? 'the next'}`, deps);
}

function notice(text: string, deps: StepDeps): void {
  deps.emit({ type: 'notice', text });
}

async function sleepUnlessStopped(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((reason: unknown) => {
    if (!signal.aborted) throw reason;
  });
}
