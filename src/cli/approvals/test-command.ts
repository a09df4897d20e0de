import { resolve } from 'node:path';
import type { CommandForecast } from '../../model/approvals.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { neutralise } from '../render/neutralise.ts';

/** Says what would become of a command. The program itself decides by the same code. */
export const testCommand: CommandFunction = async (args, deps) => {
  const { process } = deps;
  const folder = resolve(process.cwd(), args.value('folder') ?? '.');
  const forecast = await (await deps.openConsent()).forecast(args.words[0] ?? '', folder);
  const text = args.has('json') ? JSON.stringify({ ok: true, ...forecast }) : neutralise(describe(forecast));
  process.stdout.write(`${text}\n`);
  return codes[forecast.type];
};

const codes: Readonly<Record<CommandForecast['type'], number>> = {
  safe: exitCodes.done,
  allowed: exitCodes.done,
  asks: exitCodes.wouldAsk,
  refused: exitCodes.wouldRefuse,
};

function describe(forecast: CommandForecast): string {
  switch (forecast.type) {
    case 'safe':
      return forecast.within === 'sandbox'
        ? 'safe: it runs in the sandbox, without a question; to leave it is asked about'
        : 'safe: it only reads, and runs without a question';
    case 'allowed':
      return `allowed by rule ${forecast.rule.id}: ${forecast.rule.shown}`;
    case 'refused':
      return `refused, whoever agrees: ${forecast.reason}`;
    case 'asks': {
      const { why, standing } = forecast;
      const reach = standing?.atMost === 'always' ? `for good: ${standing.shown}` : 'for a session at most';
      return `asks, because ${why}; can be allowed ${reach}`;
    }
  }
}
