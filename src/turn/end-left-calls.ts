import { wasStopped } from '../model/call-summary.ts';
import { nameCall } from '../model/call-words.ts';
import type { ToolCall, ToolOutcome } from '../model/message.ts';
import type { OpenCall } from '../model/turn-state.ts';
import type { AbortCause, TurnResult } from '../model/turn.ts';
import { startsUntilParked } from './decide-next.ts';
import { prepareCall } from './prepare-call.ts';
import { lookUpTool } from './run-tool.ts';
import { settleCall } from './settle-call.ts';
import type { ToolDeps } from './tool-deps.ts';

type Parked = Extract<TurnResult, { readonly type: 'parked' }>;

/**
 * Ends what a turn that is put aside still has running: nobody waits for it any more, and it may be what ended the program.
 * The result names it. What had ended by itself is looked up, and nothing is run.
 */
export async function endLeftCalls(result: Parked, deps: ToolDeps, signal: AbortSignal): Promise<Parked> {
  const { openCalls, unreleasedStarts } = deps.recorder.state;
  // Once: were it this that ends the program, the turn would never be put aside.
  if (unreleasedStarts > startsUntilParked) return result;
  const ended: ToolCall[] = [];
  for (const { call } of openCalls.filter(({ stage }) => stage === 'started')) {
    const outcome = await endCall(call, result, deps);
    if (outcome === undefined) continue;
    await settleCall(call.id, outcome, deps.recorder, signal);
    if (wasStopped(outcome)) ended.push(call);
  }
  return ended.length === 0 ? result : { ...result, reason: `${result.reason}. ${describeEnded(ended)}` };
}

/** Undefined where nothing can be known about the call. */
async function endCall(call: OpenCall['call'], { reason }: Parked, deps: ToolDeps): Promise<ToolOutcome | undefined> {
  const prepared = await prepareCall(call, deps.tools, deps.place);
  if (prepared.type !== 'ready') return undefined;
  const cause: AbortCause = { type: 'put-aside', reason };
  const outcome = await lookUpTool(prepared, deps, AbortSignal.abort(cause));
  // Most tools know that they were told to end, and not why.
  return outcome?.type === 'interrupted' ? { ...outcome, ended: 'put-aside' } : outcome;
}

function describeEnded(ended: readonly ToolCall[]): string {
  return `${ended.map(nameCall).join(', ')} still ran and was ended`;
}
