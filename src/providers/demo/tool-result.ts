/** A tool's result as the demo reads it: what it put out, and what the tool itself noted below that. */
export type ToolResult =
  | {
      readonly type: 'done';
      readonly lines: readonly string[];
      readonly notes: readonly string[];
      readonly exitCode: number;
    }
  | { readonly type: 'refused' | 'failed' | 'stopped' | 'unknown'; readonly reason: string };

// The words with which an outcome that is not a success begins.
const unhappy: readonly (readonly [RegExp, Exclude<ToolResult['type'], 'done'>])[] = [
  [/^REFUSED:\s*/, 'refused'],
  [/^ERROR:\s*/, 'failed'],
  [/^INTERRUPTED:?\s*/, 'stopped'],
  [/^OUTCOME UNKNOWN:?\s*/, 'unknown'],
];

// Notes stand in brackets at the end. Output may end in brackets too, so only what tools say counts.
const note =
  /^\[((?:no output|exit code|timed out|stopped|the folder|folder and variables|this ran in the sandbox|a part of the output|lines \d|proc_\w+|\d+ (?:matches|files)|no (?:matches|files))\b.*|.* is empty)\]$/;

export function readToolResult(text: string): ToolResult {
  for (const [start, type] of unhappy) {
    if (start.test(text)) return { type, reason: text.replace(start, '').trim() };
  }
  const lines = text.replace(/\s+$/, '').split('\n');
  const notes: string[] = [];
  for (let last = note.exec(lines.at(-1) ?? ''); last !== null; last = note.exec(lines.at(-1) ?? '')) {
    notes.unshift(last[1] ?? '');
    lines.pop();
  }
  const exitCode = Number(/\bexit code (\d+)/.exec(notes.join('\n'))?.[1] ?? 0);
  return { type: 'done', lines: lines.length === 1 && lines[0] === '' ? [] : lines, notes, exitCode };
}
