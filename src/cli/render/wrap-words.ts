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
