export interface Table {
  readonly text: string;
  readonly end: number;
}

const delimiterRow = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;
const symbols = new Intl.Segmenter();
const longestMarked = 500;
const inlineMarks = /(\*\*|__|~~|`)(?=\S)(.*?\S)\1/g;

/** A table as even columns, for type of even width; undefined where the line begins none. */
export function readTable(lines: readonly string[], at: number): Table | undefined {
  const head = lines[at] ?? '';
  const delimiter = lines[at + 1] ?? '';
  if (!head.includes('|') || !delimiter.includes('|') || !delimiterRow.test(delimiter.trim())) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
  const rows = [head, ...lines.slice(at + 2, end)].map(readCells);
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => width(row[column] ?? ''))),
  );
  const rule = widths.map((columnWidth) => '─'.repeat(columnWidth)).join('─┼─');
  const [first = '', ...rest] = rows.map((row) => writeRow(row, widths));
  return { text: [first, rule, ...rest].join('\n'), end };
}

function readCells(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => withoutMarks(cell.trim().replaceAll('\\|', '|')));
}

function withoutMarks(cell: string): string {
  return cell.length > longestMarked ? cell : cell.replaceAll(inlineMarks, '$2');
}

function writeRow(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((columnWidth, column) => {
    const cell = row[column] ?? '';
    return cell + ' '.repeat(columnWidth - width(cell));
  });
  return cells.join(' │ ').trimEnd();
}

function width(text: string): number {
  return [...symbols.segment(text)].length;
}
