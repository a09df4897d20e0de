/** A measured quantity beside the floor that the same run measured: what the machine itself takes for the bare thing. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** How far half of the rounds lay from it at the most; left out where the figure is no difference of two noisy ones. */
  readonly spread?: number;
  readonly unit: Unit;
  readonly floor: Floor | undefined;
  readonly bar: Bar;
}

export type Unit = 'ms' | 'µs' | 'MB' | 'KB' | 'bytes' | 'tokens' | 'a second';

export interface Floor {
  readonly name: string;
  readonly value: number;
}

/** What the figure must keep: a multiple of its floor, an absolute limit, a rate that it must reach, or nothing. */
export type Bar =
  | { readonly type: 'times-floor'; readonly most: number }
  | { readonly type: 'limit'; readonly most: number }
  | { readonly type: 'at-least'; readonly least: number }
  | { readonly type: 'none' };

/** One table, aligned for a terminal and valid as Markdown. */
export function renderTable(figures: readonly Figure[]): string {
  const rows = [['figure', 'measured', 'floor in this run', 'ratio', 'bar', ''], ...figures.map(renderRow)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function renderRow(figure: Figure): readonly string[] {
  const { name, value, spread, unit, floor, bar } = figure;
  return [
    name,
    spread === undefined ? renderQuantity(value, unit) : `${value.toFixed(1)} ± ${renderQuantity(spread, unit)}`,
    floor === undefined ? '' : `${renderQuantity(floor.value, unit)} (${floor.name})`,
    floor === undefined ? '' : `${(value / floor.value).toFixed(2)} ×`,
    renderBar(bar, unit),
    renderVerdict(figure),
  ];
}

function renderQuantity(value: number, unit: Unit): string {
  const digits = value < 100 ? 1 : 0;
  return `${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function renderBar(bar: Bar, unit: Unit): string {
  switch (bar.type) {
    case 'times-floor':
      return `≤ ${bar.most.toFixed(2)} ×`;
    case 'limit':
      return `≤ ${renderQuantity(bar.most, unit)}`;
    case 'at-least':
      return `≥ ${renderQuantity(bar.least, unit)}`;
    case 'none':
      return '';
  }
}

function renderVerdict({ value, floor, bar }: Figure): string {
  switch (bar.type) {
    case 'times-floor':
      return value <= bar.most * (floor?.value ?? 0) ? 'kept' : 'OVER';
    case 'limit':
      return value <= bar.most ? 'kept' : 'OVER';
    case 'at-least':
      return value >= bar.least ? 'kept' : 'UNDER';
    case 'none':
      return '';
  }
}
