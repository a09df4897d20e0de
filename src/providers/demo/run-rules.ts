import { article } from './article.ts';
import type { Clause } from './clause.ts';
import { isQuote, readCommandLine } from './command-line.ts';
import type { Intent } from './intent.ts';

const prose = new RegExp(`^${article}(?:\\s|$)`, 'i');
const lastCommand = /^(?:it|that|this|the same)(?:\s+(?:again|command))*$|^again$/i;
const server =
  /^(?:an?|the|my)\s+(?:(?:small|little|simple|web|http|test|local)\s+)*server(?:\s+(?:on|at)\s+(?:port\s+)?(\d{2,5}))?$/i;
const usualPort = 8000;

/** A command, the one before it, or a small server, which never ends by itself. */
export function asRun({ words, restore, verbatim }: Clause): Intent | undefined {
  if (isQuote(words)) return { type: 'run', command: restore(words), where: 'usual', waits: 'for-its-end' };
  const line = readCommandLine(words);
  if (line === undefined) return undefined;
  const { command, where, waits } = line;
  const serves = server.exec(command);
  if (serves !== null) return { type: 'serve', port: Number(serves[1] ?? usualPort), where };
  if (lastCommand.test(command)) return { type: 'run', command: undefined, where, waits };
  // Prose after "run" is a wish, not a command: "run the tests".
  if (prose.test(command)) return undefined;
  if (isQuote(command)) return { type: 'run', command: restore(command), where, waits };
  // Without quotes, much else is started than commands: "start over".
  const isCommand = !/^(?:start|launch)\b/i.test(words) || /\bbackground\b/i.test(words);
  return isCommand ? { type: 'run', command: verbatim(command), where, waits } : undefined;
}

const asksWhatRuns =
  /^(?:what(?:'s| is| are)?|is (?:any|some)thing)\s+(?:still\s+)?(?:running|runs)(?:\s+(?:in the background|here|(?:right )?now))?$/i;
const namesProcesses =
  /^(?:list|show(?:\s+me)?|what|which)\s+(?:(?:the|all|my)\s+)?(?:(?:running|background)\s+)*processes(?:\s+are\s+(?:there|running))?$/i;
const which = '(?:it|that|this|(?:the|that|this)\\s+(?:background\\s+)?(?:server|process|command)|(proc_\\w+))';
const stopping = new RegExp(`^(?:stop|kill|end|terminate)\\s+${which}(?:\\s+(?:now|again))?$`, 'i');
const asksForOutput = new RegExp(
  `^(?:(?:show|read|see|print|display)\\s+(?:me\\s+)?(?:its|the|that)\\s+output(?:\\s+of\\s+${which})?|(?:show|read)\\s+(?:me\\s+)?(proc_\\w+)|what\\s+(?:did|does|has)\\s+${which}\\s+(?:print|say|put out|printed|said)(?:\\s+so far)?)$`,
  'i',
);

/** What runs in the background, and what is to become of it. */
export function asProcess({ words }: Clause): Intent | undefined {
  const stops = stopping.exec(words);
  if (stops !== null) return { type: 'stop', id: stops[1] };
  const output = asksForOutput.exec(words);
  if (output !== null) return { type: 'output', id: output.slice(1).find((id) => id !== undefined) };
  return asksWhatRuns.test(words) || namesProcesses.test(words) ? { type: 'processes' } : undefined;
}
