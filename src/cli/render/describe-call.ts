import { underlyingCall } from '../../model/bridged-call.ts';
import { callWords } from '../../model/call-words.ts';
import type { ToolCall } from '../../model/message.ts';
import { oneLine } from './one-line.ts';

const longest = 100;

/** A call as a person reads it: the tool and what it does. Pure. */
export function describeCall(call: ToolCall, most = longest): string {
  return `${oneLine(underlyingCall(call).name, most)}  ${describeArguments(call, most)}`.trimEnd();
}

/** What a call does, on one line. Pure. */
export function describeArguments(call: ToolCall, most = longest): string {
  return oneLine(callWords(call), most);
}
