import { isJsonObject, parseJson } from '../base/json.ts';
import { underlyingCall } from './bridged-call.ts';
import { partsToText } from './message.ts';
import type { ToolCall, ToolOutcome } from './message.ts';

/** The act of a tool that types something somewhere. */
const typingActs: ReadonlyMap<string, string> = new Map([
  ['browser', 'type'],
  ['process', 'write'],
]);

/**
 * The arguments of a call as people are shown them on the way. What is typed into a page or written to a process may be a
 * password, and a screen cannot know what asked for it: of any such text only the length is shown. Pure.
 */
export function shownArguments(call: ToolCall): string {
  const { name, arguments: text } = underlyingCall(call);
  const typingAct = typingActs.get(name);
  if (typingAct === undefined) return text;
  const written = parseJson(text);
  if (!isJsonObject(written)) return '(cannot be read)';
  const { action, text: typed } = written;
  if (action !== typingAct || typed === undefined) return text;
  // A code may have been written as a number.
  const { length } = typeof typed === 'string' ? typed : JSON.stringify(typed);
  return JSON.stringify({ ...written, text: `(${length} characters)` });
}

/** Whether a call does nothing but ask a person. Pure. */
export function isQuestion({ name }: ToolCall): boolean {
  return name === 'clarify';
}

/** Whether a call was still at work when it was told to end. Pure. */
export function wasStopped(outcome: ToolOutcome): boolean {
  return outcome.type === 'done' ? outcome.ended !== undefined : outcome.type === 'interrupted';
}

/** Whether a call is a failure to a person. To the model a command that failed is a result like any other. Pure. */
export function wentWrong(outcome: ToolOutcome, call: ToolCall | undefined): boolean {
  if (outcome.type !== 'done' || wasStopped(outcome)) return true;
  const text = partsToText(outcome.parts).trimEnd();
  // Of a command that was stopped, older entries say it here alone.
  return call?.name === 'terminal' && /(?:^|\n)\[(?:stopped by the user, )?exit code [1-9][^\n]*\]$/.test(text);
}
