import { isJsonObject, parseJson } from '../../base/json.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
import type { ToolCall } from '../../model/message.ts';
import { oneLine } from './one-line.ts';

const longest = 100;
const tellingArguments: readonly string[] = ['command', 'path', 'pattern', 'query', 'url', 'name'];

/** A call as a person reads it: the tool and the argument that says most. Pure. */
export function describeCall(call: ToolCall): string {
  return `${oneLine(underlyingCall(call).name, longest)}  ${describeArguments(call)}`.trimEnd();
}

/** The argument of a call that says most about it, on one line. Pure. */
export function describeArguments(call: ToolCall): string {
  const { arguments: text } = underlyingCall(call);
  const written = parseJson(text);
  if (!isJsonObject(written)) return oneLine(text, longest);
  const telling = tellingArguments.map((name) => written[name]).find((value) => typeof value === 'string');
  if (typeof telling === 'string') return oneLine(telling, longest);
  return Object.keys(written).length === 0 ? '' : oneLine(JSON.stringify(written), longest);
}
