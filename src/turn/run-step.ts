import { AppError, describeError } from '../base/errors.ts';
import type { ModelEvent, ModelFailure, ModelRequest } from '../model/provider.ts';
import { ArrivingAnswer } from './arriving-answer.ts';
import type { AnswerEnd } from './arriving-answer.ts';
import { endCall, endFailed } from './book-call.ts';
import type { EndedCall } from './book-call.ts';
import { modelWait } from './model-wait.ts';
import type { ReadyCall } from './prepare-call.ts';
import { recordAnswer } from './record-answer.ts';
import type { AnswerDeps } from './record-answer.ts';
import { recordAsked } from './record-asked.ts';
import type { AskedStep } from './record-asked.ts';
import { recordFailure } from './record-failure.ts';
import { currentPlace } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

/** What an abort left unrecorded: what the user saw of an answer, and the calls that were on their way. */
export interface Unrecorded {
  readonly preview: string;
  readonly calls: readonly EndedCall[];
}

/** What a step leaves to its caller: calls that are recorded as called and have to be run now, or what was not recorded. */
export interface StepEnd {
  readonly called: readonly ReadyCall[];
  readonly unrecorded: Unrecorded | undefined;
}

const nothingLeft: StepEnd = { called: [], unrecorded: undefined };

/**
 * One try at one model call: asked, streamed, and recorded as finished or failed. Whether to try again is read from the
 * log by the caller, so a crash in between changes nothing. If it is aborted nothing is recorded, and what there would be
 * to record is returned.
 */
export async function runStep(
  toolUse: ModelRequest['toolUse'],
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<StepEnd> {
  const tried = await tryStep(toolUse, deps, signal);
  switch (tried.type) {
    case 'failed-before':
      await recordFailure(tried.failure, deps, signal);
      return nothingLeft;
    // The log says what stood before it.
    case 'not-asked':
      return nothingLeft;
    case 'asked':
      return await recordEnd(tried, deps, signal);
  }
}

interface Asked {
  readonly type: 'asked';
  readonly step: AskedStep;
  readonly arriving: ArrivingAnswer;
  readonly end: AnswerEnd;
}

type Tried =
  | Asked
  | { readonly type: 'not-asked' }
  | { readonly type: 'failed-before'; readonly failure: ModelFailure };

async function tryStep(toolUse: ModelRequest['toolUse'], deps: StepDeps, signal: AbortSignal): Promise<Tried> {
  try {
    const client = await deps.clients.at(currentPlace(deps));
    const step = await recordAsked(toolUse, deps, signal);
    if (step === undefined) return { type: 'not-asked' };
    await deps.recorder.reach('step-asked');
    deps.emit({ type: 'waiting', wait: modelWait(deps) });
    const arriving = new ArrivingAnswer();
    const end = await receive(client.stream(step.request, signal), arriving, deps);
    return { type: 'asked', step, arriving, end };
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    if (signal.aborted) return { type: 'not-asked' };
    return { type: 'failed-before', failure: { type: 'client', message: describeError(thrown) } };
  }
}

/** What is shown while the answer is on its way is not a record: only a finished answer is. */
async function receive(
  events: AsyncIterable<ModelEvent>,
  arriving: ArrivingAnswer,
  { recorder, emit }: StepDeps,
): Promise<AnswerEnd> {
  try {
    for await (const event of events) {
      if (event.type === 'finished' || event.type === 'failed') return event;
      arriving.take(event);
      emit(event);
      await recorder.reach('answer-streaming');
    }
  } catch (thrown) {
    return { type: 'failed', failure: { type: 'protocol', message: describeError(thrown) } };
  }
  return { type: 'failed', failure: { type: 'protocol', message: 'the stream ended without a result' } };
}

async function recordEnd({ step, arriving, end }: Asked, deps: AnswerDeps, signal: AbortSignal): Promise<StepEnd> {
  if (signal.aborted) {
    const calls = [await endCall(step, arriving, end, deps.purse)];
    return { called: [], unrecorded: { preview: arriving.text, calls } };
  }
  if (end.type === 'finished') {
    return { called: await recordAnswer(end, step, deps, signal), unrecorded: undefined };
  }
  await recordFailure(end.failure, deps, signal, endFailed(step, end.failure, arriving.hasBegun));
  return nothingLeft;
}
