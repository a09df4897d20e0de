import { displayWidth } from './display-width.ts';

/**
 * Breaks lines that are longer than the terminal is wide at the last space that fits. A word that is longer than a whole
 * line is left to the terminal, and so is everything where the width is not known. Pure.
 */
export function wrapWords(text: string, columns: number | undefined): string {
  if (columns === undefined || columns <= 0) return text;
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

const leastColumns = 24;

/**
 * The same for text of our own: a line that stands in columns goes on below its last one. Where too little room is left for
 * that, the last one stands below the first. Pure.
 */
export function wrapColumns(text: string, columns: number | undefined): string {
  if (columns === undefined || columns <= 0) return text;
  return text
    .split('\n')
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapRow(line, columns)))
    .join('\n');
}

const stackedDepth = 4;

function wrapRow(line: string, columns: number): readonly string[] {
  const head = /^\s*(?:\S.*?\s{2,})?(?=\S)/.exec(line)?.[0] ?? '';
  const last = line.slice(head.length);
  const lead = head.trim() === '' ? 2 : head.length - head.trimStart().length;
  const isStacked = head.length > lead + stackedDepth && columns - head.length < leastColumns;
  const depth = isStacked ? lead + stackedDepth : head.length;
  const below = wrapLine(last, columns - depth).map((each) => ' '.repeat(depth) + each);
  if (!isStacked) return [head + (below[0] ?? '').slice(depth), ...below.slice(1)];
  return head.trim() === '' ? below : [...wrapLine(head.trimEnd(), columns), ...below];
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of line.match(/^\s*\S+|\s+\S+|\s+/g)?.flatMap((word) => splitChoices(word, columns)) ?? []) {
    const isTooLong = current !== '' && displayWidth(current + piece.trimEnd()) > columns;
    if (isTooLong) lines.push(current);
    current = isTooLong ? piece.trimStart() : current + piece;
  }
  return [...lines, current];
}

/** A list such as [list|show|stop] that no line can hold is broken behind its bars. */
function splitChoices(word: string, columns: number): readonly string[] {
  const isTooLong = displayWidth(word.trimStart()) > columns && /^\s*\[\w+(?:\|\w+)+\]$/.test(word);
  return isTooLong ? word.split(/(?<=\|)/) : [word];
}
