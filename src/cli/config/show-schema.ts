import { configJsonSchema } from '../../model/config-schema.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const showSchema: CommandFunction = (_args, { process }) => {
  process.stdout.write(`${JSON.stringify(configJsonSchema, undefined, 2)}\n`);
  return Promise.resolve(exitCodes.done);
};
