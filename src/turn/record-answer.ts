import type { CallId } from '../base/ids.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { CacheReport, Finish, Usage } from '../model/provider.ts';
import type { TurnEntry } from '../model/turn.ts';
import { announceSpending, bookCall, endCounted } from './book-call.ts';
import type { EndedCall } from './book-call.ts';
import { findFault } from './find-fault.ts';
import type { AskedStep } from './record-asked.ts';
import type { ReadyCall } from './prepare-call.ts';
import { recordFailure } from './record-failure.ts';
import { findReady } from './find-ready.ts';
import { currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';
import { findLastWord } from './find-last-word.ts';
import type { SettleDeps } from './find-last-word.ts';
import type { ToolDeps } from './tool-deps.ts';

interface Answer extends CacheReport {
  readonly message: AssistantMessage;
  readonly finish: Finish;
  readonly usage: Usage;
}

export interface AnswerDeps extends StepDeps, ToolDeps, SettleDeps {}

/**
 * Records an answer that arrived whole; one that cannot be used is a failure like any other. Calls of it that need not
 * wait are recorded as called in the same write: they are returned, and it is up to the caller to run them now. An answer
 * with which the turn ends is recorded together with its result.
 */
export async function recordAnswer(
  answer: Answer,
  step: AskedStep,
  deps: AnswerDeps,
  signal: AbortSignal,
): Promise<readonly ReadyCall[]> {
  const { recorder } = deps;
  const areCallsForbidden = step.request.toolUse === 'forbidden';
  const message = areCallsForbidden ? { ...answer.message, calls: [] } : withUniqueIds(answer.message, deps);
  const ended = await endCounted(step, answer.usage, deps.purse);
  deps.coolDowns.end(currentRuntime(deps));
  const fault = findFault(message, answer.finish, recorder.state.failuresInARow);
  if (fault !== undefined) {
    await recordFailure({ type: 'unusable', kind: fault }, deps, signal, ended);
    return [];
  }
  const ready = await findReady(message.calls, deps);
  await recordFinished({ ...answer, message }, ready, ended, { ...deps, signal });
  await recorder.reach('step-finished');
  if (ready.length > 0) await recorder.reach('tool-called');
  if (recorder.state.result !== undefined) await recorder.reach('turn-settled');
  return ready;
}

/** The answer, what it took and what it cost become durable together, and so does the result if this is the last. */
async function recordFinished(
  answer: Answer,
  ready: readonly ReadyCall[],
  ended: EndedCall,
  deps: AnswerDeps & { readonly signal: AbortSignal },
): Promise<void> {
  const { message, finish, usage, answerId, cacheMiss } = answer;
  const { recorder, signal } = deps;
  const called: readonly TurnEntry[] = ready.map(({ call }) => ({ type: 'tool.called', call }));
  const report: CacheReport = { ...(answerId !== undefined && { answerId }), ...(cacheMiss && { cacheMiss }) };
  const answered: readonly TurnEntry[] = [{ type: 'step.finished', message, finish, usage, ...report }, ...called];
  await recorder.write(async (tx) => {
    await bookCall(ended, recorder.turn, tx);
    const last = await findLastWord(answered, tx, deps);
    const logged = await recorder.appendIn(tx, last === undefined ? answered : [...answered, last.entry]);
    await last?.settle(tx);
    return logged;
  }, signal);
  await announceSpending([ended], deps);
}

/** Some servers number their calls from zero in every answer; the log needs each id once in a session. */
function withUniqueIds(message: AssistantMessage, deps: StepDeps): AssistantMessage {
  if (message.calls.length === 0) return message;
  const used = new Set<string>();
  for (const { message: earlier } of deps.conversation.everythingFor(deps.recorder.turn.turnId)) {
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
