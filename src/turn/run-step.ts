import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { AppError, describeError } from '../base/errors.ts';
import type { CallId } from '../base/ids.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, ModelEvent, ModelFailure, ModelRequest, Usage } from '../model/provider.ts';
import { nextPlace } from '../model/runtime.ts';
import type { Runtime } from '../model/runtime.ts';
import type { FrozenPrompt } from '../model/session.ts';
import type { AfterFailure, StepEvent } from '../model/turn.ts';
import type { Conversation } from './conversation.ts';
import type { CoolDowns } from './cool-downs.ts';
import { decideRetry, findFault, outputAllowance } from './decide-retry.ts';
import type { CallHistory } from './decide-retry.ts';
import { describeFailure } from './decide-next.ts';
import type { Recorder } from './recorder.ts';
import type { RuntimeClients } from './runtime-clients.ts';

export interface StepDeps {
  readonly recorder: Recorder;
  readonly conversation: Conversation;
  readonly clients: RuntimeClients;
  readonly coolDowns: CoolDowns;
  /** Where in the chain the turn began: at the primary, unless that one rests. */
  readonly startPlace: number;
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
  const preview = new Preview(deps.emit);
  const answer = await askClient(toolUse, preview, deps, signal);
  if (signal.aborted) return preview.text;
  if (answer.type === 'failed') await recordFailure(answer.failure, deps, signal);
  else await recordAnswer(answer, toolUse, deps, signal);
  return '';
}

/** The place in the chain that the turn is at. A chain that became shorter meanwhile begins anew. */
function currentPlace({ recorder, clients, startPlace }: StepDeps): number {
  const place = recorder.state.place ?? startPlace;
  return place < clients.chain.length ? place : 0;
}

function currentRuntime(deps: StepDeps): Runtime {
  return deps.clients.chain[currentPlace(deps)] ?? deps.clients.chain[0];
}

async function askClient(
  toolUse: ModelRequest['toolUse'],
  preview: Preview,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const client = await deps.clients.at(currentPlace(deps));
    const request = await ask(toolUse, deps, signal);
    await deps.recorder.reach('step-asked');
    return await receive(client.stream(request, signal), preview, deps.recorder);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    return { type: 'failed', failure: { type: 'client', message: describeError(thrown) } };
  }
}

/** Records that this very request is about to be sent. Steering that slips in meanwhile becomes part of it. */
async function ask(toolUse: ModelRequest['toolUse'], deps: StepDeps, signal: AbortSignal): Promise<ModelRequest> {
  for (;;) {
    const request = buildRequest(toolUse, deps);
    const digest = hash('sha256', JSON.stringify([request.model, request.toolUse, request.messages]));
    const isRecorded = await deps.recorder.recordIfCurrent(
      () => Promise.resolve([{ type: 'step.asked', runtime: currentRuntime(deps).name, digest }]),
      signal,
    );
    if (isRecorded) return request;
  }
}

function buildRequest(toolUse: ModelRequest['toolUse'], deps: StepDeps): ModelRequest {
  const { state, turn } = deps.recorder;
  return {
    model: currentRuntime(deps).model,
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
