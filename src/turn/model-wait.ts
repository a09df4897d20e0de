import { nextPlace } from '../model/runtime.ts';
import type { Wait } from '../model/turn.ts';
import { usualTries } from './decide-retry.ts';
import { awakeNow, currentPlace, currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/** Whom the next call of the turn is made to, which try that is, and who comes after. */
export function modelWait(deps: StepDeps): Extract<Wait, { readonly type: 'model' }> {
  const { chain } = deps.clients;
  const attempt = deps.recorder.state.failuresInARow + 1;
  const next = chain[nextPlace(chain, currentPlace(deps), awakeNow(deps)) ?? -1];
  return {
    type: 'model',
    runtime: currentRuntime(deps).name,
    attempt,
    // A broken connection earns one try more.
    mostAttempts: Math.max(attempt, usualTries),
    ...(next && { next: next.name }),
  };
}
