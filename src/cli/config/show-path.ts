import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

/** Needs neither the file nor a working home: it is how a broken one is found. */
export const showPath: CommandFunction = async (_args, { process }) => {
  const { existsSync } = await import('node:fs');
  const { join } = await import('node:path');
  const home = await process.homeFolder();
  const candidates = [join(home, 'config.yaml'), join(home, 'config.json')];
  process.stdout.write(`${candidates.find((path) => existsSync(path)) ?? candidates[0] ?? ''}\n`);
  return exitCodes.done;
};
