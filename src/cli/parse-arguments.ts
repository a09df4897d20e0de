import type { parseArgs } from 'node:util';
import { commandTable, groupTable, programOptions } from './command-table.ts';
import type { Arguments, CommandRow, OptionRow } from './command.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { quoteForShell } from '../base/quote-for-shell.ts';

export type CommandLine =
  | { readonly type: 'command'; readonly command: CommandRow; readonly args: Arguments }
  | { readonly type: 'help'; readonly topic: string }
  | { readonly type: 'version' }
  | { readonly type: 'bad-usage'; readonly message: string; readonly topic: string };

/** Decides what a command line asks for. Pure; the splitter is Node's own, handed in by whoever loaded it. */
export function parseCommandLine(args: readonly string[], split: typeof parseArgs): CommandLine {
  const named = findCommand(args);
  if (named.type === 'bad-usage') return named;
  const { command, topic } = named;
  const options = [...command.options, ...programOptions];
  const { tokens } = split({
    args: [...named.rest],
    options: describeOptions(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const switches = new Set<string>();
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const row = options.find((option) => option.name === token.name);
    const problem = findProblem(row, token.rawName, token.value, options);
    const advice = row === undefined && command.words.advice !== undefined ? `; ${command.words.advice}` : '';
    if (problem !== undefined) return { type: 'bad-usage', message: problem + advice, topic };
    if (token.value === undefined) switches.add(token.name);
    else values.set(token.name, [...(values.get(token.name) ?? []), token.value]);
  }
  if (switches.has('help')) return { type: 'help', topic };
  if (switches.has('version')) return { type: 'version' };
  const problem = findMisfit(command, words, switches.has('continue') && values.has('resume'));
  if (problem !== undefined) return { type: 'bad-usage', message: problem, topic };
  return { type: 'command', command, args: toArguments(words, switches, values) };
}

type Named =
  | { readonly type: 'named'; readonly command: CommandRow; readonly topic: string; readonly rest: readonly string[] }
  | Extract<CommandLine, { readonly type: 'bad-usage' }>;

/**
 * The first word names the command, or a group whose next word is the verb, unless it is a word of what the bare group
 * does. Without any word it is the chat.
 */
function findCommand(args: readonly string[]): Named {
  const first = findWord(args, 0);
  if (first === undefined) return { type: 'named', command: commandNamed('chat'), topic: '', rest: args };
  const name = args[first] ?? '';
  const rest = args.toSpliced(first, 1);
  const group = groupTable.find((row) => row.name === name);
  if (group === undefined) return nameCommand(name, name, '', rest);
  const second = findWord(rest, first);
  const usual: Named = { type: 'named', command: commandNamed(`${name} ${group.defaultVerb}`), topic: name, rest };
  if (second === undefined) return usual;
  const named = nameCommand(`${name} ${rest[second] ?? ''}`, rest[second] ?? '', name, rest.toSpliced(second, 1));
  return named.type === 'bad-usage' && usual.command.words.atMost > 0 ? usual : named;
}

function nameCommand(name: string, written: string, group: string, rest: readonly string[]): Named {
  const prefix = group === '' ? '' : `${group} `;
  const command = commandTable.find(
    (row) =>
      row.name === name || row.aliases.some((alias) => `${prefix}${alias}` === name && row.name.startsWith(prefix)),
  );
  if (command !== undefined) return { type: 'named', command, topic: command.name, rest };
  const known = [
    ...commandTable.flatMap((row) => [row.name, ...row.aliases.map((alias) => withLast(row.name, alias))]),
    ...groupTable.map((row) => row.name),
  ];
  const verbs = known.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  const single = verbs.filter((verb) => !verb.includes(' '));
  const nearest = (group === '' ? opposites.get(written) : undefined) ?? nearestWord(written, single);
  const what = group === '' ? `there is no command "${written}"` : `"${group}" has no command "${written}"`;
  const advice = advise(name, group) ?? suggest(nearest && `talaria ${prefix}${nearest}`);
  return { type: 'bad-usage', message: what + advice, topic: group };
}

/** What helps whoever wrote what is no command, where that is more than another spelling. */
function advise(name: string, group: string): string | undefined {
  if (group === '' && /\s/.test(name.trim())) return `; to ask that: talaria run ${quoteForPerson(name)}`;
  if (name === 'config get') return '; to see the settings: talaria config show';
  if (name === 'config set') return '; to change one, edit the file that talaria config path names';
  return undefined;
}

/** As a person would write it, unless a shell would make something else of it. */
function quoteForPerson(text: string): string {
  return /["$`\\!]/.test(text) ? quoteForShell(text) : `"${text}"`;
}

/** What people guess for the opposite of a command, where no spelling leads to it. */
const opposites: ReadonlyMap<string, string> = new Map([
  ['untrust', 'trust remove'],
  ['distrust', 'trust remove'],
]);

function withLast(name: string, last: string): string {
  return [...name.split(' ').slice(0, -1), last].join(' ');
}

function suggest(nearest: string | undefined): string {
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

function commandNamed(name: string): CommandRow {
  const command = commandTable.find((row) => row.name === name);
  if (command === undefined) throw new Error(`the table has no command ${name}`);
  return command;
}

const valueOptions: readonly OptionRow[] = commandTable
  .flatMap((row) => row.options)
  .filter((option) => option.value !== undefined);

/** Where the first word stands that is neither an option nor the value of one. */
function findWord(args: readonly string[], from: number): number | undefined {
  for (let index = from; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') return undefined;
    if (arg === '-' || !arg.startsWith('-')) return index;
    if (valueOptions.some(({ name, short }) => arg === `--${name}` || arg === `-${short ?? ''}`)) index += 1;
  }
  return undefined;
}

function describeOptions(
  options: readonly OptionRow[],
): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  return Object.fromEntries(
    options.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  );
}

function findProblem(
  row: OptionRow | undefined,
  written: string,
  value: string | undefined,
  options: readonly OptionRow[],
): string | undefined {
  if (row === undefined) {
    const nearest = nearestWord(
      written.replace(/^-+/, ''),
      options.map((option) => option.name),
    );
    return `there is no option ${written}${suggest(nearest && `--${nearest}`)}`;
  }
  if (row.value !== undefined && (value === undefined || value === '')) return `${written} needs a value: ${row.value}`;
  if (row.value === undefined && value !== undefined) return `${written} takes no value`;
  return undefined;
}

function findMisfit(
  { name, words: { label, atLeast, atMost } }: CommandRow,
  words: readonly string[],
  hasTwoSeats: boolean,
): string | undefined {
  if (hasTwoSeats) return 'choose either --continue or --resume';
  if (words.length < atLeast) return `"${name}" needs ${label}`;
  if (words.length > atMost) return `"${name}" does not take "${words[atMost] ?? ''}"`;
  return undefined;
}

function toArguments(
  words: readonly string[],
  switches: ReadonlySet<string>,
  values: ReadonlyMap<string, readonly string[]>,
): Arguments {
  return {
    words,
    has: (option) => switches.has(option) || values.has(option),
    value: (option) => values.get(option)?.at(-1),
    values: (option) => values.get(option) ?? [],
  };
}
