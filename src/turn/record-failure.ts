import type { Clock } from '../base/clock.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { hasImages } from '../model/message.ts';
import { noUsage } from '../model/provider.ts';
import type { ModelFailure } from '../model/provider.ts';
import { keyPlaces, nextKey, nextPlace } from '../model/runtime.ts';
import type { AfterFailure, TurnEntry } from '../model/turn.ts';
import { announceSpending, bookCall } from './book-call.ts';
import type { EndedCall } from './book-call.ts';
import { decideRetry } from './decide-retry.ts';
import type { CallHistory } from './decide-retry.ts';
import { describeFailure } from './describe-failure.ts';
import { discardKey } from './discard-key.ts';
import { modelWait } from './model-wait.ts';
import { awakeNow, currentPlace, currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

const mostCompactions = 3;

/** Records a failed call with what follows from it and what it took, says so, and waits if that is what follows. Without `ended`, no call was made. */
export async function recordFailure(
  failure: ModelFailure,
  deps: StepDeps,
  signal: AbortSignal,
  ended?: EndedCall,
): Promise<void> {
  const runtime = currentRuntime(deps);
  const { next, afterMs } = decideRetry(failure, historyOf(deps));
  const isLeft = next.type === 'rotate' || next.type === 'fall-back';
  if (isLeft) deps.coolDowns.begin(runtime, failure, deps.clock.monotonic());
  await recordEntry({ failure, next, ended }, deps, signal);
  if (ended) await announceSpending([ended], deps);
  announce(failure, next, afterMs, deps);
  if (afterMs > 0) deps.emit({ type: 'waiting', wait: { ...modelWait(deps), pauseMs: afterMs } });
  if (afterMs > 0) await sleepUnlessStopped(afterMs, deps.clock, signal);
  if (next.type === 'refresh-key') discardKey(runtime);
  if (next.type === 'recover' && !signal.aborted) await deps.clients.rebuild(currentPlace(deps));
}

function historyOf(deps: StepDeps): CallHistory {
  const { chain } = deps.clients;
  const { failuresInARow, hasRecovered, hasForgottenReasoning, hasRefreshedKey, rotations } = deps.recorder.state;
  const place = currentPlace(deps);
  const isAwake = awakeNow(deps);
  const keys = keyPlaces(chain, place);
  return {
    runtime: currentRuntime(deps),
    failuresBefore: failuresInARow,
    hasRecovered,
    hasForgottenReasoning,
    canRefreshKey: currentRuntime(deps).credential.type === 'printed' && !hasRefreshedKey,
    hasImages: showsImages(deps),
    stage: keys.includes(deps.startPlace) ? 'first-choice' : 'fallback',
    compaction: compactionOf(deps),
    // Every key gets one chance a call, so that keys with short rests are not asked in a circle.
    nextKey: rotations < keys.length - 1 ? nextKey(chain, place, isAwake) : undefined,
    nextPlace: nextPlace(chain, place, isAwake),
  };
}

function showsImages(deps: StepDeps): boolean {
  const { conversation, recorder } = deps;
  const messages = conversation.messagesTo(currentRuntime(deps).name, recorder.turn.turnId);
  return messages.some(hasImages);
}

function compactionOf({ recorder, compaction }: StepDeps): CallHistory['compaction'] {
  if (!compaction.isAutomatic) return 'off';
  // One that is still owed could not be had.
  if (recorder.state.overflow !== undefined) return 'spent';
  return recorder.state.compactionsAfterFailure < mostCompactions ? 'possible' : 'spent';
}

interface Failed {
  readonly failure: ModelFailure;
  readonly next: AfterFailure;
  /** Undefined where no call was made. */
  readonly ended: EndedCall | undefined;
}

/** An answer that cannot be used was paid for all the same: what it took becomes durable with it. */
async function recordEntry(
  { failure, next, ended }: Failed,
  { recorder }: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const isCounted = ended?.usage !== undefined && ended.usage !== noUsage;
  await recorder.write(async (tx) => {
    if (ended) await bookCall(ended, recorder.turn, tx);
    const entry: TurnEntry = { type: 'step.failed', failure, next, ...(isCounted && { usage: ended.usage }) };
    return await recorder.appendIn(tx, [entry]);
  }, signal);
}

/** One short line that says what went wrong and what is done about it. */
function announce(failure: ModelFailure, next: AfterFailure, afterMs: number, deps: StepDeps): void {
  const remedy = describeRemedy(next, afterMs, deps);
  if (remedy !== undefined)
    deps.emit({ type: 'notice', text: `${withoutFullStop(describeFailure(failure))}; ${remedy}` });
}

function describeRemedy(next: AfterFailure, afterMs: number, deps: StepDeps): string | undefined {
  const { chain } = deps.clients;
  const seconds = Math.ceil(afterMs / 1000);
  switch (next.type) {
    case 'retry':
      return afterMs > 0 ? `trying again in ${seconds} s` : undefined;
    case 'recover':
      return `trying a fresh connection in ${seconds} s`;
    case 'refresh-key':
      return `${currentRuntime(deps).keyName ?? 'its command'} is run for a new key`;
    case 'rotate':
      return `key ${chain[next.to]?.keyName ?? 'of another kind'} takes over`;
    case 'fall-back':
      return `going on with ${chain[next.to]?.name ?? 'the next'}`;
    case 'compact':
      return 'shortening the conversation';
    case 'forget-reasoning':
      return 'going on without what was thought before';
    case 'withhold-images':
      return 'going on without the images so far';
    // The result of the turn says it.
    case 'give-up':
      return undefined;
  }
}

async function sleepUnlessStopped(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((reason: unknown) => {
    if (!signal.aborted) throw reason;
  });
}
