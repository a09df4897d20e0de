import { AppError } from '../base/errors.ts';
import type { CommandFunction } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { helpAt, helpTopics } from './help.ts';
import { nearestWord } from '../base/nearest-word.ts';

export const showHelp: CommandFunction = (args, deps) => {
  const topic = args.words.join(' ');
  const { stdout } = deps.process;
  const text = helpAt(topic, stdout.isTTY ? stdout.columns : undefined);
  if (text === undefined) {
    const nearest = nearestWord(topic, helpTopics);
    const hint = nearest === undefined ? '' : `; did you mean "talaria help ${nearest}"?`;
    throw new AppError('bad-usage', `there is no help on "${topic}"${hint}`);
  }
  stdout.write(text);
  return Promise.resolve(exitCodes.done);
};
