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
 * that it goes on a little further in than it began. Pure.
 */
export function wrapColumns(text: string, columns: number | undefined): string {
  if (columns === undefined || columns <= 0) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const head = /^\s*(?:\S.*?\s{2,})?(?=\S)/.exec(line)?.[0] ?? '';
      const depth = head === '' || columns - head.length >= leastColumns ? head.length : 4;
      const [first = '', ...rest] = wrapLine(line, columns);
      const below = wrapLine(rest.join(' '), columns - depth);
      return rest.length === 0 ? [first] : [first, ...below.map((each) => ' '.repeat(depth) + each)];
    })
    .join('\n');
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of line.match(/^\s*\S+|\s+\S+|\s+/g) ?? []) {
    const isTooLong = current !== '' && displayWidth(current + piece.trimEnd()) > columns;
    if (isTooLong) lines.push(current);
    current = isTooLong ? piece.trimStart() : current + piece;
  }
  return [...lines, current];
}
