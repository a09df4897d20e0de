import { AppError } from '../../base/errors.ts';
import { startOfDay } from '../../gateway/usage-report.ts';
import type { Arguments } from '../command.ts';

const groupings = ['day', 'model', 'session'] as const;
export type Grouping = (typeof groupings)[number];

const usualDays = 30;

/** What `--by` asks for; days where it is left out. */
export function readGrouping(args: Arguments): Grouping {
  const written = args.value('by') ?? 'day';
  const grouping = groupings.find((candidate) => candidate === written);
  if (grouping === undefined)
    throw new AppError('bad-usage', `--by needs one of ${groupings.join(', ')}, not "${written}"`);
  return grouping;
}

/** Where the time begins that `--days` or `--since` ask for: at the start of a day, today being the first of so many. */
export function readSince(args: Arguments, now: number): number {
  const [days, date] = [args.value('days'), args.value('since')];
  if (days !== undefined && date !== undefined) throw new AppError('bad-usage', 'choose either --days or --since');
  if (date !== undefined) return readDate(date);
  const count = Number(days ?? usualDays);
  if (!Number.isInteger(count) || count < 1 || count > 36_500)
    throw new AppError('bad-usage', `--days needs a number from 1, not "${days ?? ''}"`);
  return startOfDay(now, count - 1);
}

function readDate(written: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(written) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // A day that a month does not have would silently become one of the next.
  if (Number.isNaN(date.getTime()) || date.getMonth() !== Number(month) - 1)
    throw new AppError('bad-usage', `--since needs a day such as 2026-01-31, not "${written}"`);
  return date.getTime();
}
