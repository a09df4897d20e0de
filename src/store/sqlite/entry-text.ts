import type { Part, ToolOutcome } from '../../model/message.ts';
import type { SearchHit } from '../../model/store.ts';
import type { TurnEntry } from '../../model/turn.ts';

export interface EntryText {
  readonly author: SearchHit['author'];
  readonly text: string;
}

// A log file that a tool printed would otherwise weigh more than the conversation around it.
const longestToolText = 4000;
// Indexing happens inside the commit, and nothing else happens meanwhile, not even a stop: this is some milliseconds.
const longestSpeech = 50_000;
const longestTitle = 60;

/** What of an entry a person may look for, or undefined where there is nothing. Pure. */
export function entryText(entry: TurnEntry): EntryText | undefined {
  switch (entry.type) {
    case 'turn.admitted':
    case 'turn.steered':
      return unlessEmpty('user', cut(joinText(entry.parts), longestSpeech));
    case 'question.answered':
      return unlessEmpty('user', cut(entry.text, longestSpeech));
    case 'step.finished':
      return unlessEmpty('assistant', cut(joinText(entry.message.parts), longestSpeech));
    case 'tool.settled':
      return unlessEmpty('tool', cut(outcomeText(entry.outcome), longestToolText));
    case 'turn.claimed':
    case 'turn.released':
    case 'turn.announced':
    case 'turn.nudged':
    case 'step.asked':
    case 'step.failed':
    case 'approval.asked':
    case 'approval.answered':
    case 'tool.called':
    case 'compaction.asked':
    case 'limit.reached':
    case 'context.compacted':
    case 'context.restored':
    case 'context.undone':
    case 'turn.settled':
      return undefined;
  }
}

/** A title from the first line that says something. Pure. */
export function titleFrom(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim());
  const line = lines.find((candidate) => candidate !== '') ?? '';
  const characters = Array.from(line);
  if (characters.length <= longestTitle) return line;
  return `${characters
    .slice(0, longestTitle - 1)
    .join('')
    .trimEnd()}…`;
}

function unlessEmpty(author: EntryText['author'], text: string): EntryText | undefined {
  return text.trim() === '' ? undefined : { author, text };
}

function joinText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function outcomeText(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case 'done':
      return joinText(outcome.parts);
    case 'failed':
      return outcome.message;
    case 'refused':
      return outcome.reason;
    case 'interrupted':
    case 'unknown':
      return '';
  }
}

/** Cuts between characters, never inside one. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .toWellFormed()
        .replace(/\uFFFD$/, '');
}
