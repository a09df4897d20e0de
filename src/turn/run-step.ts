import { AppError, describeError } from '../base/errors.ts';
import type { ModelEvent, ModelRequest } from '../model/provider.ts';
import type { StepEvent } from '../model/turn.ts';
import { recordAnswer } from './record-answer.ts';
import { recordAsked } from './record-asked.ts';
import { recordFailure } from './record-failure.ts';
import type { Recorder } from './recorder.ts';
import { currentPlace } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

type Answer = Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;

/**
 * One try at one model call: asked, streamed, and recorded as finished or failed. Whether to try again is read from the
 * log by the caller, so a crash in between changes nothing. If it is aborted nothing is recorded, and what the user
 * saw of the answer is returned.
 */
export async function runStep(toolUse: ModelRequest['toolUse'], deps: StepDeps, signal: AbortSignal): Promise<string> {
  const preview = new Preview(deps.emit);
  const answer = await askClient(toolUse, preview, deps, signal);
  if (signal.aborted) return preview.text;
  // A limit of money stood before the call, and the log says so.
  if (answer === undefined) return '';
  if (answer.type === 'failed') await recordFailure(answer.failure, deps, signal);
  else await recordAnswer(answer, toolUse, deps, signal);
  return '';
}

async function askClient(
  toolUse: ModelRequest['toolUse'],
  preview: Preview,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    const client = await deps.clients.at(currentPlace(deps));
    const request = await recordAsked(toolUse, deps, signal);
    if (request === undefined) return undefined;
    await deps.recorder.reach('step-asked');
    return await receive(client.stream(request, signal), preview, deps.recorder);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    return { type: 'failed', failure: { type: 'client', message: describeError(thrown) } };
  }
}

/** What is shown while the answer is on its way. It is not a record: only a finished answer is. */
class Preview {
  text = '';
  readonly #emit: (event: StepEvent) => void;

  constructor(emit: (event: StepEvent) => void) {
    this.#emit = emit;
  }

  show(event: Exclude<ModelEvent, Answer>): void {
    if (event.type === 'text.delta') this.text += event.text;
    this.#emit(event);
  }
}

async function receive(events: AsyncIterable<ModelEvent>, preview: Preview, recorder: Recorder): Promise<Answer> {
  try {
    for await (const event of events) {
      if (event.type === 'finished' || event.type === 'failed') return event;
      preview.show(event);
      await recorder.reach('answer-streaming');
    }
  } catch (thrown) {
    return { type: 'failed', failure: { type: 'protocol', message: describeError(thrown) } };
  }
  return { type: 'failed', failure: { type: 'protocol', message: 'the stream ended without a result' } };
}
