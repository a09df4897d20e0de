import { AppError } from '../base/errors.ts';
import { noUsage } from '../model/provider.ts';
import { textPart } from '../model/message.ts';
import type { StoreTx } from '../model/store.ts';
import type { AbortCause, TurnEntry, TurnResult } from '../model/turn.ts';
import type { NodeId } from '../base/ids.ts';
import type { Conversation } from './conversation.ts';
import { decideNext } from './decide-next.ts';
import type { Next, TurnLimits } from './decide-next.ts';
import type { Recorder } from './recorder.ts';
import { runStep } from './run-step.ts';
import type { StepDeps } from './run-step.ts';
import { runTools } from './run-tools.ts';
import type { ToolDeps } from './tool-deps.ts';

export interface TurnDeps extends StepDeps, ToolDeps {
  readonly conversation: Conversation;
  readonly recorder: Recorder;
  readonly limits: TurnLimits;
  readonly claim: { readonly owner: NodeId; readonly epoch: number };
  /** Whatever has to become durable in the same moment as the result: the reply on its way out, the message dealt with. */
  readonly settleWith: (tx: StoreTx, result: TurnResult) => Promise<void>;
}

/** `released` is a turn that a shutdown left unsettled: the log says how far it came, and the next start goes on. */
export type TurnEnd = TurnResult | { readonly type: 'released' };

/** Takes an admitted turn to its result, with one record before each act. Goes on where an earlier process ended. */
export async function runTurn(deps: TurnDeps, signal: AbortSignal): Promise<TurnEnd> {
  const { recorder } = deps;
  await recorder.record([{ type: 'turn.claimed', ...deps.claim }], signal);
  await recorder.reach('claimed');
  let preview = '';
  while (!signal.aborted) {
    const seenBefore = deps.conversation.seq;
    const next = decideNext(recorder.state, deps.limits);
    if (next.type === 'settle') {
      if (await settleUnlessSteered(next.result, deps)) return next.result;
    } else {
      preview = await act(next, deps, signal);
    }
    // Every act leaves an entry. Without one the next decision would be the same, for ever.
    const isStuck = deps.conversation.seq === seenBefore && !signal.aborted;
    if (isStuck) throw new AppError('no-progress', `the turn is stuck: ${next.type} recorded nothing`);
  }
  return await endAborted(preview, deps, signal.reason as AbortCause);
}

async function act(
  next: Exclude<Next, { readonly type: 'settle' }>,
  deps: TurnDeps,
  signal: AbortSignal,
): Promise<string> {
  switch (next.type) {
    case 'run-tools':
      await runTools(deps, signal);
      return '';
    case 'ask':
      return await runStep(next.toolUse, deps, signal);
    case 'nudge':
      await deps.recorder.record([{ type: 'turn.nudged', cause: next.cause, text: next.text }], signal);
      return '';
  }
}

/** Settles only if nothing arrived meanwhile: steering that comes at the last moment is answered, not lost. */
async function settleUnlessSteered(result: TurnResult, { recorder, settleWith }: TurnDeps): Promise<boolean> {
  const isSettled = await recorder.recordIfCurrent(async (tx) => {
    await settleWith(tx, result);
    return [{ type: 'turn.settled', result }];
  });
  if (isSettled) await recorder.reach('turn-settled');
  return isSettled;
}

/** A stop gives every open call an outcome and the turn a result, in one write. A shutdown leaves the turn to the next start. */
async function endAborted(preview: string, { recorder, settleWith }: TurnDeps, cause: AbortCause): Promise<TurnEnd> {
  if (cause.type === 'shutdown') {
    await recorder.record([{ type: 'turn.released' }]);
    return { type: 'released' };
  }
  const result: TurnResult = { type: 'interrupted', by: cause.by };
  await recorder.write(async (tx) => {
    await settleWith(tx, result);
    return await recorder.appendIn(tx, [...closeOpenEnds(preview, recorder), { type: 'turn.settled', result }]);
  });
  return result;
}

function closeOpenEnds(preview: string, recorder: Recorder): readonly TurnEntry[] {
  const calls = recorder.state.openCalls.map(({ call }): TurnEntry => ({
    type: 'tool.settled',
    callId: call.id,
    outcome: { type: 'interrupted' },
  }));
  if (preview === '') return calls;
  // What the user saw of a stopped answer stays in the conversation, so that the next turn knows what was said.
  const message = { role: 'assistant', parts: [textPart(preview)], calls: [] } as const;
  return [...calls, { type: 'step.finished', message, finish: 'interrupted', usage: noUsage }];
}
