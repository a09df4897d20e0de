import { isJsonObject, parseJson } from '../../base/json.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
import type { ToolCall } from '../../model/message.ts';
import { shortenText } from './shorten-text.ts';

/** The arguments that tell what a call was about, the best first. */
const tellingArguments = ['command', 'path', 'file', 'url', 'query', 'pattern', 'name'] as const;
const longestArgument = 200;

/** A call by its name and the argument that tells most about it. Pure. */
export function describePastCall(call: ToolCall): string {
  const meant = underlyingCall(call);
  const argument = tellingArgument(meant);
  return argument === undefined ? meant.name : `${meant.name}: ${oneLine(argument)}`;
}

/** The file that a call changed, if it is one that changes files. Pure. */
export function changedFile({ name, arguments: text }: ToolCall): string | undefined {
  if (!/write|patch|edit/.test(name)) return undefined;
  const input = parseJson(text);
  const path = isJsonObject(input) ? input['path'] : undefined;
  return typeof path === 'string' ? path : undefined;
}

export function oneLine(text: string): string {
  return shortenText(text, longestArgument).replaceAll(/\s+/g, ' ').trim();
}

function tellingArgument({ arguments: text }: ToolCall): string | undefined {
  const input = parseJson(text);
  if (!isJsonObject(input)) return undefined;
  const key = tellingArguments.find((name) => typeof input[name] === 'string');
  const value = key === undefined ? Object.values(input).find((each) => typeof each === 'string') : input[key];
  return typeof value === 'string' ? value : undefined;
}
