import { AppError } from '../base/errors.ts';
import type { Arguments } from './command.ts';

const usual = 20;

/** How many rows `--limit` asks for. */
export function readLimit(args: Arguments): number {
  const written = args.value('limit');
  if (written === undefined) return usual;
  const limit = Number(written);
  if (!Number.isInteger(limit) || limit < 1)
    throw new AppError('bad-usage', `--limit needs a number from 1, not "${written}"`);
  return limit;
}
