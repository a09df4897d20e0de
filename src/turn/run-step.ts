import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { CallId } from '../base/ids.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, ModelEvent, ModelFailure, ModelRequest, Provider, Usage } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import type { FrozenPrompt } from '../model/session.ts';
import type { StepEvent } from '../model/turn.ts';
import type { Conversation } from './conversation.ts';
import { decideRetry, findFault, outputAllowance } from './decide-retry.ts';
import { describeFailure } from './decide-next.ts';
import type { Recorder } from './recorder.ts';

export interface StepDeps {
  readonly recorder: Recorder;
  readonly conversation: Conversation;
  readonly provider: Provider;
  readonly runtime: Runtime;
  readonly prompt: FrozenPrompt;
  readonly maxOutputTokens: number | undefined;
  readonly clock: Clock;
  readonly emit: (event: StepEvent) => void;
}

type Answer = Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;

/**
 * One try at one model call: asked, streamed, and recorded as finished or failed. Whether to try again is read from the
 * log by the caller, so a crash in between changes nothing. If it is aborted nothing is recorded, and what the user
 * saw of the answer is returned.
 */
export async function runStep(toolUse: ModelRequest['toolUse'], deps: StepDeps, signal: AbortSignal): Promise<string> {
  const request = await ask(toolUse, deps, signal);
  await deps.recorder.reach('step-asked');
  const preview = new Preview(deps.emit);
  const answer = await receive(deps.provider.stream(request, signal), preview, deps.recorder);
  if (signal.aborted) return preview.text;
  if (answer.type === 'failed') await recordFailure(answer.failure, deps, signal);
  else await recordAnswer(answer, toolUse, deps, signal);
  return '';
}

/** Records that this very request is about to be sent. Steering that slips in meanwhile becomes part of it. */
async function ask(toolUse: ModelRequest['toolUse'], deps: StepDeps, signal: AbortSignal): Promise<ModelRequest> {
  for (;;) {
    const request = buildRequest(toolUse, deps);
    const digest = hash('sha256', JSON.stringify([request.model, request.toolUse, request.messages]));
    const isRecorded = await deps.recorder.recordIfCurrent(
      () => Promise.resolve([{ type: 'step.asked', runtime: deps.runtime.name, digest }]),
      signal,
    );
    if (isRecorded) return request;
  }
}

function buildRequest(toolUse: ModelRequest['toolUse'], deps: StepDeps): ModelRequest {
  const { state, turn } = deps.recorder;
  return {
    model: deps.runtime.model,
    system: deps.prompt.system,
    tools: deps.prompt.tools,
    messages: deps.conversation.messagesFor(turn.turnId),
    toolUse,
    cacheKey: turn.sessionId,
    effort: undefined,
    maxOutputTokens: outputAllowance(deps.maxOutputTokens, state.nudges.cut + state.cutCallsInARow),
  };
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

async function recordFailure(failure: ModelFailure, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const retry = decideRetry(failure, deps.recorder.state.failuresInARow);
  const next = retry.type === 'retry' ? 'retry' : 'give-up';
  await deps.recorder.record([{ type: 'step.failed', failure, next }], signal);
  if (retry.type === 'give-up' || retry.afterMs === 0) return;
  deps.emit({
    type: 'notice',
    text: `${describeFailure(failure)}; trying again in ${Math.ceil(retry.afterMs / 1000)} s`,
  });
  await deps.clock.sleep(retry.afterMs, signal).catch((reason: unknown) => {
    if (!signal.aborted) throw reason;
  });
}

async function recordAnswer(
  answer: { readonly message: AssistantMessage; readonly finish: Finish; readonly usage: Usage },
  toolUse: ModelRequest['toolUse'],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const { recorder } = deps;
  const message = toolUse === 'forbidden' ? { ...answer.message, calls: [] } : withUniqueIds(answer.message, deps);
  const fault = findFault(message, answer.finish, recorder.state.failuresInARow);
  if (fault !== undefined) {
    await recordFailure({ type: 'unusable', kind: fault }, deps, signal);
    return;
  }
  await recorder.record([{ type: 'step.finished', message, finish: answer.finish, usage: answer.usage }], signal);
  await recorder.reach('step-finished');
}

/** Some servers number their calls from zero in every answer; the log needs each id once in a session. */
function withUniqueIds(message: AssistantMessage, deps: StepDeps): AssistantMessage {
  if (message.calls.length === 0) return message;
  const used = new Set<string>();
  for (const earlier of deps.conversation.messagesFor(deps.recorder.turn.turnId)) {
    if (earlier.role === 'assistant') for (const call of earlier.calls) used.add(call.id);
  }
  const calls = message.calls.map((call) => {
    const id = firstUnused(call.id, used);
    used.add(id);
    return { ...call, id };
  });
  return { ...message, calls };
}

function firstUnused(id: CallId, used: ReadonlySet<string>): CallId {
  if (!used.has(id)) return id;
  for (let count = 2; ; count += 1) {
    const candidate = `${id}_${count}` as CallId;
    if (!used.has(candidate)) return candidate;
  }
}
