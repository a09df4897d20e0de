import type { CallId, NodeId, PersonId, SessionId, TurnId } from '../../../src/base/ids.ts';
import { textPart } from '../../../src/model/message.ts';
import type { ToolCall, ToolOutcome } from '../../../src/model/message.ts';
import { noUsage } from '../../../src/model/provider.ts';
import type { LoggedEntry, StepEvent, TurnEntry } from '../../../src/model/turn.ts';

export const owner = 'owner' as PersonId;

/** Entries as the store would keep them, all of one turn unless told otherwise. */
export function logOf(entries: readonly TurnEntry[], turnId = 'trn_1'): readonly LoggedEntry[] {
  return entries.map((entry, index) => ({
    sessionId: 'ses_1' as SessionId,
    turnId: turnId as TurnId,
    seq: index + 1,
    at: 0,
    entry,
  }));
}

export function entryEvent(entry: TurnEntry): StepEvent {
  return { type: 'entry', logged: logOf([entry])[0] as LoggedEntry };
}

export function admitted(text: string): TurnEntry {
  return { type: 'turn.admitted', parts: [textPart(text)], person: owner };
}

export function steered(text: string): TurnEntry {
  return { type: 'turn.steered', parts: [textPart(text)], person: owner };
}

export function claimed(): TurnEntry {
  return { type: 'turn.claimed', owner: 'nod_1' as NodeId, epoch: 1 };
}

export function call(id: string, command: string): ToolCall {
  return { id: id as CallId, name: 'terminal', arguments: JSON.stringify({ command }) };
}

export function answered(text: string, calls: readonly ToolCall[] = [], finish: 'stop' | 'length' = 'stop'): TurnEntry {
  const parts = text === '' ? [] : [textPart(text)];
  return { type: 'step.finished', message: { role: 'assistant', parts, calls }, finish, usage: noUsage };
}

export function called(toolCall: ToolCall): TurnEntry {
  return { type: 'tool.called', call: toolCall };
}

export function settledCall(id: string, outcome: ToolOutcome): TurnEntry {
  return { type: 'tool.settled', callId: id as CallId, outcome };
}

export function done(text: string): ToolOutcome {
  return { type: 'done', parts: [textPart(text)] };
}

export function replied(text: string): TurnEntry {
  return { type: 'turn.settled', result: { type: 'replied', text, ending: 'complete' } };
}
