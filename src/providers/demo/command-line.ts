import { article } from './article.ts';
import { anyMark } from './quotes.ts';

const lead = '(?:run|execute|exec|\\$)\\s+(?:(?:the\\s+)?(?:shell\\s+)?command\\s+)?(?=\\S)';
const outside = '(?:outside(?:\\s+of)?|without)\\s+(?:(?:the|a)\\s+)?sandbox';
const manner = `(?:,?\\s+(?:${outside}))`;
const end = '(?:[;.?!,\\n]|(?:and\\s+)?then\\b|$)';

// The shell has its own use for what ends a thing elsewhere, so that a command without quotes takes the whole line, or all
// up to how it is to be run. Prose is none: "run the tests".
const wholeCommand = new RegExp(
  `^${lead}(?!${article}(?:\\s|$))(?!${anyMark}(?:${manner}|\\s+(?:for me|please|here)\\b)*\\s*${end})(?:[^\\n]*?${manner}(?=\\s*${end})|[^\\n]+)`,
  'i',
);

/** A command at the beginning of a text that is not in quotes, with the words that ask for it. */
export function findWholeCommand(text: string): string | undefined {
  return wholeCommand.exec(text)?.[0];
}

export interface CommandLine {
  readonly command: string;
  readonly where: 'usual' | 'outside';
}

const asked = new RegExp(`^${lead}(.+)$`, 'i');
const courtesyBehind = /\s+(?:for me|please|here)$/i;
const leavesSandbox = new RegExp(`,?\\s+${outside}$`, 'i');

/** The command that the words of a clause ask for, and how it is to be run. Its quoted parts are still marks. */
export function readCommandLine(words: string): CommandLine | undefined {
  const line = asked.exec(words)?.[1];
  if (line === undefined) return undefined;
  const inside = line.replace(leavesSandbox, '');
  const where = inside === line ? 'usual' : 'outside';
  return { command: isQuoted.test(inside) ? inside.replace(courtesyBehind, '') : inside, where };
}

const isQuoted = new RegExp(`^${anyMark}\\s`);
