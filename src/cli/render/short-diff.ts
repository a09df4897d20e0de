import { isJsonObject, parseJson } from '../../base/json.ts';
import { underlyingCall } from '../../model/bridged-call.ts';
import { partsToText } from '../../model/message.ts';
import type { ToolCall, ToolOutcome } from '../../model/message.ts';

/** A line of what a call changed in a file; `between` stands for what is not shown. */
export interface DiffLine {
  readonly type: 'added' | 'removed' | 'between';
  readonly text: string;
}

const mostLines = 12;

/** What a call that went well changed in a file, in a few lines. Empty for calls that change none. Pure. */
export function shortDiff(call: ToolCall | undefined, outcome: ToolOutcome): readonly DiffLine[] {
  if (call === undefined || outcome.type !== 'done') return [];
  const { name, arguments: written } = underlyingCall(call);
  if (name === 'patch') return bound(changesIn(partsToText(outcome.parts)));
  if (name !== 'write_file') return [];
  const input = parseJson(written);
  const content = isJsonObject(input) && typeof input['content'] === 'string' ? input['content'] : '';
  // Without what stood there before: nobody but the tool has seen that.
  return bound(linesOf(content).map((text) => ({ type: 'added', text })));
}

/** The changed lines of a unified diff, and a mark between those that stand apart. */
function changesIn(text: string): readonly DiffLine[] {
  const [, ...hunks] = text.split(/^@@ .*@@.*\n/m);
  return hunks.flatMap((hunk, index) => {
    const changes = linesOf(hunk).flatMap(readChange);
    return index === 0 ? changes : [{ type: 'between', text: '…' } as const, ...changes];
  });
}

function readChange(line: string): readonly DiffLine[] {
  if (line.startsWith('+')) return [{ type: 'added', text: line.slice(1) }];
  return line.startsWith('-') ? [{ type: 'removed', text: line.slice(1) }] : [];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function bound(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= mostLines) return lines;
  const shown = lines.slice(0, mostLines - 1);
  return [...shown, { type: 'between', text: `… and ${lines.length - shown.length} more lines` }];
}
