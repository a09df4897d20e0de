import type { CallId } from '../base/ids.ts';
import { partsToText, textPart } from '../model/message.ts';
import type { Part, ToolOutcome } from '../model/message.ts';
import type { StoreTx } from '../model/store.ts';
import type { Recorder } from './recorder.ts';

const largestInline = 100_000;
const previewLength = 1500;

/** Writes the outcome of a call. What is too large for the conversation is kept as a blob in the same transaction. */
export async function settleCall(
  callId: CallId,
  outcome: ToolOutcome,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<void> {
  await recorder.write(async (tx) => {
    const kept = await shrink(outcome, tx, recorder);
    return await recorder.appendIn(tx, [{ type: 'tool.settled', callId, outcome: kept }]);
  }, signal);
  await recorder.reach('tool-settled');
}

async function shrink(outcome: ToolOutcome, tx: StoreTx, recorder: Recorder): Promise<ToolOutcome> {
  if (outcome.type !== 'done') return outcome;
  const text = partsToText(outcome.parts);
  if (text.length <= largestInline) return outcome;
  const blob = await tx.blobs.put(recorder.turn.sessionId, text);
  const kept: Part = { type: 'blob', blob, mediaType: 'text/plain', characters: text.length };
  return { ...outcome, parts: [textPart(text.slice(0, previewLength)), kept, textPart(text.slice(-previewLength))] };
}
