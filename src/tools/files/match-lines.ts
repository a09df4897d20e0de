import { withEndings } from './line-endings.ts';
import { mostPlaces } from './text-place.ts';
import type { TextPlace } from './text-place.ts';

interface Line {
  readonly text: string;
  readonly start: number;
  /** Behind the last character, before the line's ending. */
  readonly end: number;
  /** Where the next line begins. */
  readonly next: number;
}

type Looseness = 'trailing-spaces' | 'indentation';

/** Whole lines that equal the wanted ones but for spaces at their ends, or at both ends. */
export function matchLines(text: string, wanted: string, looseness: Looseness): readonly TextPlace[] {
  const lines = splitLines(text);
  const ending = wanted.endsWith('\n') ? 'included' : 'left';
  const wantedLines = wanted.replace(/\r?\n$/, '').split(/\r?\n/);
  if (wantedLines.every((line) => line.trim() === '')) return [];
  const simplify = (line: string): string => (looseness === 'indentation' ? line.trim() : line.trimEnd());
  const simple = wantedLines.map(simplify);
  const places: TextPlace[] = [];
  for (let at = 0; at + simple.length <= lines.length && places.length <= mostPlaces; at += 1) {
    if (!simple.every((line, index) => line === simplify(lines[at + index]?.text ?? ''))) continue;
    const matched = lines.slice(at, at + simple.length);
    const indents = looseness === 'indentation' ? mapIndents(wantedLines, matched) : new Map<string, string>();
    const first = matched[0];
    const last = matched.at(-1);
    if (indents === undefined || first === undefined || last === undefined) continue;
    const isCrLf = text.slice(first.end, first.next) === '\r\n';
    places.push({
      start: first.start,
      end: ending === 'included' ? last.next : last.end,
      adapt: (replacement) => withEndings(reindent(replacement, indents), isCrLf ? '\r\n' : '\n'),
    });
  }
  return places;
}

function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline + 1;
    const end = newline === -1 ? next : newline - (text.charAt(newline - 1) === '\r' && newline > start ? 1 : 0);
    lines.push({ text: text.slice(start, end), start, end, next });
    start = next;
  }
  return lines;
}

/**
 * Which indentation of the file stands for which of the wanted text. If one of the wanted text would stand for two of the
 * file, the shapes differ and it is no match.
 */
function mapIndents(wanted: readonly string[], matched: readonly Line[]): ReadonlyMap<string, string> | undefined {
  const indents = new Map<string, string>();
  for (const [index, line] of wanted.entries()) {
    if (line.trim() === '') continue;
    const inFile = indentOf(matched[index]?.text ?? '');
    const known = indents.get(indentOf(line));
    if (known !== undefined && known !== inFile) return undefined;
    indents.set(indentOf(line), inFile);
  }
  return indents;
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

/** The replacement in the file's own indentation; a depth that the file did not show is counted from the nearest known. */
function reindent(text: string, indents: ReadonlyMap<string, string>): string {
  const known = [...indents.keys()].toSorted((left, right) => right.length - left.length);
  return text
    .split('\n')
    .map((line) => {
      const indent = indentOf(line);
      const base = known.find((candidate) => indent.startsWith(candidate));
      if (line.trim() === '' || base === undefined) return line;
      return (indents.get(base) ?? base) + line.slice(base.length);
    })
    .join('\n');
}
