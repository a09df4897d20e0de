import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureLine } from '../failure-line.ts';

export const refreshModelPrices: CommandFunction = async (args, { process, refreshPrices }) => {
  const { stdout, stderr } = process;
  const refreshed = await refreshPrices();
  if (refreshed.type === 'failed') {
    const message = `the prices at ${refreshed.url} could not be fetched: ${refreshed.reason}`;
    stderr.write(`talaria: ${message}\n`);
    if (args.has('json')) stdout.write(failureLine({ code: 'no-answer', message }, exitCodes.failed));
    return exitCodes.failed;
  }
  const { url, path, models } = refreshed;
  if (args.has('json')) stdout.write(`${JSON.stringify({ ok: true, url, path, models })}\n`);
  else stdout.write(`Prices and windows of ${models} models, from ${url}\nKept in ${path}\n`);
  return exitCodes.done;
};
