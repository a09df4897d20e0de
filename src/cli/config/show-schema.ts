import { configSchema } from '../../model/config.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const showSchema: CommandFunction = (_args, { process }) => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Talaria configuration',
    ...configSchema.json,
  };
  process.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`);
  return Promise.resolve(exitCodes.done);
};
