import type { CliDeps, ModelReport } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

/**
 * Warnings leave the settings usable. A file that is replaced by its last good copy is not usable, and neither are
 * settings whose model no chat could begin with.
 */
export const checkConfigFile: CommandFunction = async (args, deps) => {
  const { stdout } = deps.process;
  const { source, ...settings } = await deps.readSettings();
  const { problem, ...models } = await checkModels(source, deps);
  const isUsable = source !== 'last-good' && problem === undefined;
  const warnings = [...settings.warnings, ...models.warnings];
  const problems = problem === undefined ? [] : [problem];
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: isUsable, source, problems, warnings })}\n`);
  } else {
    for (const line of [...problems, ...warnings]) stdout.write(`${line}\n`);
    if (source === 'defaults') stdout.write('There is no settings file; the defaults are used.\n');
    else if (problems.length + warnings.length === 0) stdout.write('The settings are in order.\n');
  }
  return isUsable ? exitCodes.done : exitCodes.notConfigured;
};

/** What stands in a broken file comes first: of the models in its last good copy there is nothing to say. */
async function checkModels(source: string, deps: CliDeps): Promise<ModelReport> {
  return source === 'last-good' ? { problem: undefined, warnings: [] } : await deps.checkModels();
}
