import { isJsonObject, parseJson } from '../base/json.ts';
import { underlyingCall } from './bridged-call.ts';
import { partsToText } from './message.ts';
import type { ToolCall, ToolOutcome } from './message.ts';

const tellingArguments: readonly string[] = ['command', 'path', 'pattern', 'query', 'url', 'name'];

/** The argument of a call that says most about it, as it was written; all of them where none does. Pure. */
export function tellingArgument(call: ToolCall): string {
  const { arguments: text } = underlyingCall(call);
  const written = parseJson(text);
  if (!isJsonObject(written)) return text;
  const telling = tellingArguments.map((name) => written[name]).find((value) => typeof value === 'string');
  if (typeof telling === 'string') return telling;
  return Object.keys(written).length === 0 ? '' : JSON.stringify(written);
}

/** Whether a call is a failure to a person. To the model a command that failed is a result like any other. Pure. */
export function wentWrong(outcome: ToolOutcome, call: ToolCall | undefined): boolean {
  if (outcome.type !== 'done') return true;
  const text = partsToText(outcome.parts).trimEnd();
  return call?.name === 'terminal' && /(?:^|\n)\[(?:stopped by the user, )?exit code [1-9][^\n]*\]$/.test(text);
}
