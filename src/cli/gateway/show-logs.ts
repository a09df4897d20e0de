import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';
import { followLines } from '../service/follow-lines.ts';
import { lastLines } from '../service/last-lines.ts';

const usualLines = 50;

/** Shows the log of the program, in which every secret is taken out. With `-f` it goes on as the log grows. */
export const showLogs: CommandFunction = async (args, deps) => {
  const { stdout } = deps.process;
  const count = readCount(args);
  const path = join((await deps.openServiceDesk()).logs, 'talaria.log');
  const { lines, end } = await lastLines(path, count);
  for (const line of lines) stdout.write(`${renderLine(line)}\n`);
  if (!args.has('follow')) return exitCodes.done;
  const stopping = new AbortController();
  using _listening = deps.process.onStopSignal(() => stopping.abort());
  for await (const line of followLines(path, end, systemClock, stopping.signal)) stdout.write(`${renderLine(line)}\n`);
  return exitCodes.done;
};

function readCount(args: Arguments): number {
  const written = args.value('lines');
  const count = Number(written ?? usualLines);
  if (!Number.isInteger(count) || count < 0)
    throw new AppError('bad-usage', `--lines needs a number from 0, not "${written ?? ''}"`);
  return count;
}

/** A line of the log as a person reads it; what is no such line is shown as it is. Pure. */
function renderLine(line: string): string {
  const entry = parseJson(line);
  if (!isJsonObject(entry)) return neutralise(line);
  const { time = '', level = '', message = '', ...fields } = entry;
  const main = [time, asText(level).padEnd(5), message].map(asText);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return neutralise([...main, ...rest].join(' '));
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
