import { article } from './article.ts';
import { anyMark } from './quotes.ts';

const lead = '(?:run|execute|exec|\\$)\\s+(?:(?:the\\s+)?(?:shell\\s+)?command\\s+)?(?=\\S)';
const starting = '(?:start|launch)\\s+(?=\\S)';
const outside = '(?:outside(?:\\s+of)?|without)\\s+(?:(?:the|a)\\s+)?sandbox';
const background = 'in\\s+(?:the\\s+)?background';
const courtesy = '(?:for me|please|here)';
const manner = `(?:,?\\s+(?:and\\s+)?(?:${outside}|${background}))`;
const end = '(?:[;.?!,\\n]|(?:and\\s+)?then\\b|$)';
const noProse = `(?!${article}(?:\\s|$))`;
const upToManner = `[^\\n]*?${manner}(?=\\s*${end})`;

// The shell has its own use for what ends a thing elsewhere, so that a command without quotes takes the whole line, or all
// up to how it is to be run. Prose is none: "run the tests".
const wholeCommand = new RegExp(
  `^(?:${lead}${noProse}(?!${anyMark}(?:${manner}|\\s+${courtesy}\\b)*\\s*${end})(?:${upToManner}|[^\\n]+)|${starting}${noProse}${upToManner})`,
  'i',
);

/** A command at the beginning of a text that is not in quotes, with the words that ask for it. */
export function findWholeCommand(text: string): string | undefined {
  return wholeCommand.exec(text)?.[0];
}

/** How a command is to be run. */
export interface Manner {
  readonly where: 'usual' | 'outside';
  readonly waits: 'for-its-end' | 'not-at-all';
}

export interface CommandLine extends Manner {
  readonly command: string;
}

const run = new RegExp(`^${lead}(.+)$`, 'i');
const start = new RegExp(`^${starting}(.+)$`, 'i');
const mannersBehind = new RegExp(`(?:${manner}|(?<=^${anyMark}.*)\\s+${courtesy})+$`, 'i');
const onlyQuotes = new RegExp(`^${anyMark}$`);

/** The command that the words of a clause ask for, and how it is to be run. Its quoted parts are still marks. */
export function readCommandLine(words: string): CommandLine | undefined {
  const line = run.exec(words)?.[1] ?? start.exec(words)?.[1];
  if (line === undefined) return undefined;
  const manners = mannersBehind.exec(line)?.[0] ?? '';
  const command = line.slice(0, line.length - manners.length);
  const isOutside = new RegExp(outside, 'i').test(manners);
  const isLeftAlone = new RegExp(background, 'i').test(manners) || start.test(words);
  return {
    command,
    where: isOutside ? 'outside' : 'usual',
    waits: isLeftAlone ? 'not-at-all' : 'for-its-end',
  };
}

/** Whether a piece of a clause is one quoted part and nothing else. */
export function isQuote(piece: string): boolean {
  return onlyQuotes.test(piece);
}
