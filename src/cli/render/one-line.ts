import { displayWidth } from './display-width.ts';
import { neutralise } from './neutralise.ts';

/** Text as one line of at most so many characters; what was cut off is marked. Pure. */
export function oneLine(text: string, most: number): string {
  const flat = neutralise(text)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ');
  return clip(flat, most);
}

/** The first line that says anything, clipped. Pure. */
export function firstLine(text: string, most: number): string {
  const lines = neutralise(text)
    .split('\n')
    .map((line) => line.trim());
  const index = lines.findIndex((line) => line !== '');
  if (index === -1) return '';
  const isMore = lines.slice(index + 1).some((line) => line !== '');
  const line = clip((lines[index] ?? '').replaceAll('\t', ' '), most);
  return isMore && !line.endsWith('…') ? `${line} …` : line;
}

export function clip(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** Text that fills no more than so many columns of a terminal; what was cut off is marked. Pure. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = Array.from(text);
  while (displayWidth(characters.join('')) > columns - 1 && characters.length > 0) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}
