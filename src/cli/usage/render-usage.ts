import {
  adviseOnCosts,
  countCalls,
  formatCacheShare,
  formatRowCost,
  formatTokens,
  formatTotalCost,
} from '../../gateway/usage-report.ts';
import type { UsageSum } from '../../gateway/usage-report.ts';
import { displayWidth } from '../render/display-width.ts';
import { neutralise } from '../render/neutralise.ts';
import type { Style } from '../render/style.ts';
import { wrapWords } from '../render/wrap-words.ts';
import type { Grouping } from './read-period.ts';

export interface UsageTable {
  readonly by: Grouping;
  readonly rows: readonly (readonly [string, UsageSum])[];
  readonly total: UsageSum;
}

/** A table where the terminal is wide enough for it, else a few lines for each row. Pure. */
export function renderUsage({ by, rows, total }: UsageTable, style: Style, width: number): string {
  const lines = [
    [by, 'calls', 'fresh', 'cached', 'written', 'output', 'from cache', 'cost'],
    ...rows.map(([name, sum]) => cellsOf(neutralise(name), sum, formatRowCost(sum))),
    cellsOf('total', total, formatTotalCost(total)),
  ];
  const table = alignColumns(lines);
  const isWideEnough = table.every((line) => displayWidth(line) <= width);
  const shown = isWideEnough ? emphasise(table, style) : [wrapWords(stack(lines).join('\n'), width)];
  const advice = adviseOnCosts(total) ?? '';
  return [...shown, style.dim(wrapWords(neutralise(advice), width))]
    .map((line) => (line === '' ? '' : `${line}\n`))
    .join('');
}

function cellsOf(name: string, sum: UsageSum, cost: string): readonly string[] {
  const counts = [sum.fresh, sum.cacheRead, sum.cacheWrite, sum.output].map(formatTokens);
  return [name, String(sum.calls), ...counts, formatCacheShare(sum), cost];
}

/** Names and costs begin together; numbers end together. */
function alignColumns(lines: readonly (readonly string[])[]): readonly string[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => displayWidth(cells[column] ?? ''))),
  );
  return lines.map((cells) =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
        return column === 0 || column === cells.length - 1 ? cell + padding : padding + cell;
      })
      .join('  ')
      .trimEnd(),
  );
}

function emphasise(table: readonly string[], style: Style): readonly string[] {
  return table.map((line, index) => {
    if (index === 0) return style.dim(line);
    return index === table.length - 1 ? style.bold(line) : line;
  });
}

function stack([, ...rows]: readonly (readonly string[])[]): readonly string[] {
  return rows.flatMap(([name, calls, fresh, cached, written, output, share, cost]) => [
    `${name}  ${cost}`,
    `  ${countCalls(Number(calls))}, ${share} from the cache`,
    `  ${fresh} fresh, ${cached} cached, ${written} written, ${output} output`,
  ]);
}
