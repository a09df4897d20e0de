import { displayWidth } from './display-width.ts';
import { styleInline } from './inline-markdown.ts';
import { mark } from './text-marks.ts';

type Side = 'left' | 'right' | 'centre';

/** A table with its columns below each other; where it does not fit, a few lines for each row. What is no table stays as it is. Pure. */
export function renderTable(lines: readonly string[], columns: number): readonly string[] {
  const [head = '', rule = '', ...rows] = lines;
  const sides = readRule(rule);
  const names = cellsOf(head);
  if (sides === undefined || sides.length !== names.length) return lines;
  const body = rows.map((row) => fill(cellsOf(row), names.length).map(styleInline));
  const titles = names.map((name) => mark('bold', styleInline(name)));
  const widths = titles.map((_, column) =>
    Math.max(...[titles, ...body].map((row) => displayWidth(row[column] ?? ''))),
  );
  const wide = widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
  if (wide > columns) return stack(titles, body);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0, sides[column] ?? 'left'))
      .join(gap)
      .trimEnd();
  return [line(titles), mark('dim', widths.map((width) => '─'.repeat(width)).join('──')), ...body.map(line)];
}

const gap = '  ';

/** How the columns are aligned, if this is the line below the head of a table. */
function readRule(line: string): readonly Side[] | undefined {
  const cells = cellsOf(line);
  if (cells.length === 0 || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (cell.startsWith(':') && cell.endsWith(':')) return 'centre';
    return cell.endsWith(':') ? 'right' : 'left';
  });
}

/** A bar that is escaped, or stands in code, parts no cells. */
function cellsOf(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  const cells = inner.match(/(?:\\\||`[^`]*`|[^|])+|(?<=\|)(?=\|)/g) ?? [];
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function fill(cells: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, column) => cells[column] ?? '');
}

function pad(cell: string, width: number, side: Side): string {
  const missing = Math.max(0, width - displayWidth(cell));
  const before = side === 'right' ? missing : side === 'centre' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + cell + ' '.repeat(missing - before);
}

function stack(titles: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  return body.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => (cell === '' ? [] : [`${titles[column] ?? ''}: ${cell}`])),
  ]);
}
