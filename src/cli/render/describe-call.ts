import { underlyingCall } from '../../model/bridged-call.ts';
import { tellingArgument } from '../../model/call-summary.ts';
import type { ToolCall } from '../../model/message.ts';
import { oneLine } from './one-line.ts';

const longest = 100;

/** A call as a person reads it: the tool and the argument that says most. Pure. */
export function describeCall(call: ToolCall): string {
  return `${oneLine(underlyingCall(call).name, longest)}  ${describeArguments(call)}`.trimEnd();
}

/** The argument of a call that says most about it, on one line. Pure. */
export function describeArguments(call: ToolCall): string {
  return oneLine(tellingArgument(call), longest);
}
