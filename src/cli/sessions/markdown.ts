import { withoutForeignMarks } from '../../base/foreign-text.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
import { shownArguments } from '../../model/call-summary.ts';
import { outcomeToText, partsToText } from '../../model/message.ts';
import type { Part, ToolCall } from '../../model/message.ts';
import type { Session } from '../../model/session.ts';
import type { LoggedEntry, TurnEntry, TurnResult } from '../../model/turn.ts';
import { neutralise } from '../render/neutralise.ts';

type Texts = Readonly<Record<string, string>>;

/** A session as a document: all that was said, every call with its whole outcome. Pure. */
export function renderMarkdown(session: Session, entries: readonly LoggedEntry[], blobs: Texts): string {
  const title = session.title === '' ? `Session ${session.id}` : session.title;
  const head = [
    `# ${title}`,
    `- session: ${session.id}\n- folder: ${session.workdir}\n- begun: ${new Date(session.createdAt).toISOString()}`,
  ];
  const turns = [...Map.groupBy(entries, (logged) => logged.turnId).values()];
  const body = turns.flatMap((turn) => renderTurn(turn, blobs));
  return neutralise(`${[...head, ...body].join('\n\n')}\n`);
}

function renderTurn(entries: readonly LoggedEntry[], blobs: Texts): readonly string[] {
  const calls = new Map<string, ToolCall>();
  let lastText = '';
  const blocks: string[] = [];
  for (const { entry } of entries) {
    if (entry.type === 'step.finished') {
      for (const call of entry.message.calls) calls.set(call.id, call);
      lastText = partsToText(entry.message.parts);
    }
    blocks.push(...renderEntry(entry, calls, blobs));
    if (entry.type === 'turn.settled') blocks.push(...renderResult(entry.result, lastText));
  }
  return blocks;
}

function renderEntry(entry: TurnEntry, calls: ReadonlyMap<string, ToolCall>, blobs: Texts): readonly string[] {
  switch (entry.type) {
    case 'turn.admitted':
    case 'turn.steered':
      return ['## You', partsToText(entry.parts)];
    case 'step.finished': {
      const text = partsToText(entry.message.parts);
      return text === '' ? [] : ['## Talaria', text];
    }
    case 'tool.settled': {
      const call = calls.get(entry.callId);
      const name = call === undefined ? entry.callId : `${underlyingCall(call).name} ${shownArguments(call)}`;
      const { outcome } = entry;
      const text = outcome.type === 'done' ? wholeText(outcome.parts, blobs) : outcomeToText(outcome);
      return [`### ${name.replaceAll('\n', ' ')}`, fence(withoutForeignMarks(text))];
    }
    case 'turn.claimed':
    case 'turn.released':
    case 'turn.announced':
    case 'turn.nudged':
    case 'turn.settled':
    case 'step.asked':
    case 'step.failed':
    case 'approval.asked':
    case 'approval.answered':
    case 'question.answered':
    case 'tool.called':
    case 'compaction.asked':
    case 'limit.reached':
    case 'context.compacted':
    case 'context.restored':
      return [];
    case 'context.undone':
      return ['*An earlier turn was taken back: the model no longer reads it.*'];
  }
}

/** Where the whole text was kept apart, it replaces the head and tail that stand in the log. */
function wholeText(parts: readonly Part[], blobs: Texts): string {
  const blob = parts.find((part) => part.type === 'blob');
  return (blob && blobs[blob.blob]) ?? partsToText(parts);
}

function renderResult(result: TurnResult, lastText: string): readonly string[] {
  switch (result.type) {
    case 'replied':
      return isShown(result.text, lastText) ? [] : ['## Talaria', result.text];
    case 'interrupted':
      return ['*Stopped.*'];
    case 'failed':
      return [`*This did not work: ${result.reason}*`];
    case 'parked':
      return [`*Put aside: ${result.reason}*`];
  }
}

/** What the model said last stands there already; a reply that the program itself made does not. */
function isShown(reply: string, lastText: string): boolean {
  return reply === '' || (lastText !== '' && reply.endsWith(lastText));
}

/** A fence longer than any in the text, so that the text cannot end it. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
