import { AppError } from '../base/errors.ts';
import type { CommandFunction } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { helpFor, helpTopics } from './help.ts';
import { nearestWord } from '../base/nearest-word.ts';

export const showHelp: CommandFunction = (args, deps) => {
  const topic = args.words.join(' ');
  const text = helpFor(topic);
  if (text === undefined) {
    const nearest = nearestWord(topic, helpTopics);
    const hint = nearest === undefined ? '' : `; did you mean "talaria help ${nearest}"?`;
    throw new AppError('bad-usage', `there is no help on "${topic}"${hint}`);
  }
  deps.process.stdout.write(text);
  return Promise.resolve(exitCodes.done);
};
