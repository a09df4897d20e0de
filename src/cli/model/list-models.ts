import { surveyModels } from '../../agents/survey-models.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { asJson, renderModels } from './render-models.ts';

export const listModels: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const { models, vendors, warnings, lookUp } = await deps.openModels();
  const rows = await surveyModels(models, lookUp);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: true, models: rows.map(asJson), vendors, warnings })}\n`);
    return exitCodes.done;
  }
  for (const warning of warnings) stderr.write(`${warning}\n`);
  stdout.write(renderModels(rows, vendors));
  return exitCodes.done;
};
