import type { CallId } from '../base/ids.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, ModelRequest, Usage } from '../model/provider.ts';
import { findFault } from './decide-retry.ts';
import { recordFailure } from './record-failure.ts';
import { currentRuntime } from './step-deps.ts';
import type { StepDeps } from './step-deps.ts';

interface Answer {
  readonly message: AssistantMessage;
  readonly finish: Finish;
  readonly usage: Usage;
}

/** Records an answer that arrived whole; one that cannot be used is a failure like any other. */
export async function recordAnswer(
  answer: Answer,
  toolUse: ModelRequest['toolUse'],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const { recorder } = deps;
  const message = toolUse === 'forbidden' ? { ...answer.message, calls: [] } : withUniqueIds(answer.message, deps);
  deps.coolDowns.end(currentRuntime(deps));
  const fault = findFault(message, answer.finish, recorder.state.failuresInARow);
  if (fault !== undefined) {
    await recordFailure({ type: 'unusable', kind: fault }, deps, signal, answer.usage);
    return;
  }
  await recordFinished({ ...answer, message }, deps, signal);
  await recorder.reach('step-finished');
}

/** The answer, what it took and what it cost become durable together. */
async function recordFinished({ message, finish, usage }: Answer, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const { recorder, purse, emit } = deps;
  const runtime = currentRuntime(deps).name;
  const { reserved } = recorder.state;
  const cost = reserved && (await purse.costOf(runtime, usage));
  await recorder.write(async (tx) => {
    await tx.usages.add(recorder.turn, { runtime, purpose: 'answer', usage });
    if (reserved && cost !== undefined) await tx.money.settle(reserved.id, cost);
    return await recorder.appendIn(tx, [{ type: 'step.finished', message, finish, usage }]);
  }, signal);
  if (cost !== undefined) for (const text of await purse.warnAfter(cost)) emit({ type: 'notice', text });
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
