import { resolve } from 'node:path';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { CommandForecast } from '../../model/approvals.ts';
import type { Whereabouts } from '../../model/tool.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

/** Says what would become of a command. The program itself decides by the same code. */
export const testCommand: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const folder = resolve(process.cwd(), args.value('folder') ?? '.');
  const forecast = await (
    await deps.openConsent()
  ).forecast(commandOf(args.words), folder, args.has('outside') ? 'outside' : 'inside');
  const text = args.has('json') ? JSON.stringify({ ok: true, ...forecast }) : neutralise(describeAll(forecast));
  process.stdout.write(`${text}\n`);
  return codes[forecast.type];
};

/** Several words were split by a shell, so that what it took the quotes off needs them again. */
function commandOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : words.map(quoteForShell).join(' ');
}

const codes: Readonly<Record<CommandForecast['type'], number>> = {
  safe: exitCodes.done,
  allowed: exitCodes.done,
  asks: exitCodes.wouldAsk,
  refused: exitCodes.wouldRefuse,
};

function describeAll(forecast: CommandForecast): string {
  if (forecast.type === 'safe' && forecast.within === 'sandbox') return describeInside(forecast);
  const where = forecast.type === 'refused' ? undefined : forecast.where;
  return [describe(forecast), ...(where === undefined ? [] : [`${places[where.in]}, because ${where.why}`])].join('\n');
}

/** Not headed as safe: whatever it does, it can do it there alone. */
function describeInside({ where, leaving }: Extract<CommandForecast, { readonly type: 'safe' }>): string {
  const why = where === undefined ? '' : `, because ${where.why}`;
  const left = leaving === undefined ? [] : [`to leave it ${describeLeaving(leaving)}`];
  return [`${places[where?.in ?? 'sandbox']}, unasked${why}`, ...left].join('\n');
}

function describeLeaving(leaving: CommandForecast): string {
  switch (leaving.type) {
    case 'safe':
      return 'needs no question';
    case 'asks':
      return 'is asked about';
    case 'allowed':
    case 'refused':
      return `is ${describe(leaving)}`;
  }
}

const places: Readonly<Record<Whereabouts['in'], string>> = {
  sandbox: 'runs in the sandbox',
  system: 'runs outside, in the system as it is',
  elsewhere: 'runs elsewhere',
};

function describe(forecast: CommandForecast): string {
  switch (forecast.type) {
    case 'safe':
      return 'safe: it only reads, and runs without a question';
    case 'allowed':
      return `allowed by rule ${forecast.rule.id}: ${forecast.rule.shown}`;
    case 'refused':
      return `${forecast.is === 'mistake' ? 'cannot be run' : 'refused, whoever agrees'}: ${forecast.reason}`;
    case 'asks': {
      const { why, standing } = forecast;
      const reach = standing?.atMost === 'always' ? `for good: ${standing.shown}` : 'for a session at most';
      return `asks, because ${why}; can be allowed ${reach}`;
    }
  }
}
