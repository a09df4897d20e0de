import type { CallId } from '../../base/ids.ts';
import { outcomeToText, partsToText } from '../../model/message.ts';
import type { Message, ToolCall, ToolOutcome } from '../../model/message.ts';
import { changedFile, describePastCall, oneLine } from './describe-past-call.ts';
import { shortenText } from './shorten-text.ts';

const mostCalls = 60;
const longestAnswer = 2000;
const longestEarlier = 4000;

/** A summary that needs no model: the calls with their outcomes, the files that were changed, the last answer. Pure. */
export function summarizeByProgram(past: readonly Message[], earlier: string | undefined): string {
  const sections = [
    section('From the summary before this one', earlier && shortenText(earlier, longestEarlier)),
    section('Tool calls, oldest first', listCalls(past)),
    section('Files that were changed', listFiles(past)),
    section('The last answer', lastAnswer(past)),
  ];
  const text = sections.filter((each) => each !== '').join('\n\n');
  return text === '' ? 'Nothing but what the user said above.' : text;
}

function section(title: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `${title}:\n${text}`;
}

function listCalls(past: readonly Message[]): string {
  const outcomes = new Map<CallId, ToolOutcome>();
  for (const message of past) if (message.role === 'tool') outcomes.set(message.callId, message.outcome);
  const lines = callsOf(past).map((call) => `- ${describePastCall(call)} → ${describeOutcome(outcomes.get(call.id))}`);
  const left = lines.length - mostCalls;
  return [...(left > 0 ? [`- (${left} earlier calls are left out)`] : []), ...lines.slice(-mostCalls)].join('\n');
}

function describeOutcome(outcome: ToolOutcome | undefined): string {
  if (outcome === undefined) return 'no outcome';
  return outcome.type === 'done' ? `done: ${oneLine(partsToText(outcome.parts))}` : oneLine(outcomeToText(outcome));
}

function listFiles(past: readonly Message[]): string {
  const files = new Set(callsOf(past).flatMap((call) => changedFile(call) ?? []));
  return [...files].map((file) => `- ${file}`).join('\n');
}

/** The last thing that the assistant said in words. Pure. */
export function lastAnswer(past: readonly Message[]): string | undefined {
  const texts = past.flatMap((message) => (message.role === 'assistant' ? [partsToText(message.parts).trim()] : []));
  const last = texts.findLast((text) => text !== '');
  return last && shortenText(last, longestAnswer);
}

function callsOf(past: readonly Message[]): readonly ToolCall[] {
  return past.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
}
