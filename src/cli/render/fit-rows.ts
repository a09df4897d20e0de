import { fitColumns } from './one-line.ts';
import { wrapWords } from './wrap-words.ts';

const mostRows = 3;

/** Text that is set in, in no more rows of a terminal than a few; what was cut off is marked. Pure. */
export function fitRows(text: string, columns: number): string {
  const room = Math.max(1, columns - 4);
  const rows = wrapWords(text, Number.isFinite(room) ? room : undefined).split('\n');
  const last = rows.slice(mostRows - 1).join(' ');
  return [...rows.slice(0, mostRows - 1), ...(last === '' ? [] : [last])]
    .map((row, index) => `${index === 0 ? '  ' : '    '}${fitColumns(row, room)}`)
    .join('\n');
}
