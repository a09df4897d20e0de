import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

/** Warnings leave the file usable; a file that is replaced by its last good copy is not. */
export const checkConfigFile: CommandFunction = async (args, deps) => {
  const { stdout } = deps.process;
  const { source, warnings } = await deps.readSettings();
  const isUsable = source !== 'last-good';
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: isUsable, source, warnings })}\n`);
  } else {
    for (const warning of warnings) stdout.write(`${warning}\n`);
    if (source === 'defaults') stdout.write('There is no settings file; the defaults are used.\n');
    else if (warnings.length === 0) stdout.write('The settings are in order.\n');
  }
  return isUsable ? exitCodes.done : exitCodes.notConfigured;
};
