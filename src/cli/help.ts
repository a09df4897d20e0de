import { commandTable, groupTable, programOptions } from './command-table.ts';
import type { CommandRow, OptionRow } from './command.ts';
import { exitCodeTexts } from './exit-codes.ts';
import { wrapColumns } from './render/wrap-words.ts';

/** The text of a topic, laid out for a terminal so many columns wide; as it is written where that is not known. Pure. */
export function helpAt(topic: string, screenColumns: number | undefined): string | undefined {
  const text = helpFor(topic);
  if (text === undefined || screenColumns === undefined || screenColumns >= writtenFor) return text;
  return wrapColumns(topic === 'json' ? text : joinParagraphs(text), screenColumns);
}

/** The text of a topic: the program (''), a command, a group, `exit-codes` or `json`; undefined where there is none. Pure. */
export function helpFor(topic: string): string | undefined {
  if (topic === '') return describeProgram();
  if (topic === 'exit-codes') return sections([describeExitCodes()]);
  if (topic === 'json') return jsonText;
  const group = groupTable.find((row) => row.name === topic);
  if (group !== undefined) return describeGroup(group.name, group.summary, group.defaultVerb);
  const command = commandTable.find((row) => isNamed(row, topic));
  return command && describeCommand(command);
}

const writtenFor = 120;

/** Sentences that go on in the next line of the source are one line again; what stands further in, or is a heading, stays. */
function joinParagraphs(text: string): string {
  return text.replaceAll(/(?<=[^\n:])\n(?=[^\s])/g, ' ');
}

export const helpTopics: readonly string[] = [
  ...groupTable.map((row) => row.name),
  ...commandTable.map((row) => row.name),
  'exit-codes',
  'json',
];

function isNamed(row: CommandRow, topic: string): boolean {
  const group = row.name.includes(' ') ? `${row.name.split(' ')[0]} ` : '';
  return row.name === topic || row.aliases.some((alias) => `${group}${alias}` === topic);
}

function describeProgram(): string {
  const single = commandTable
    .filter((row) => !row.name.includes(' '))
    .map((row) => [usageOf(row), row.summary] as const);
  const groups = groupTable.map((row) => [`${row.name} [${verbsOf(row.name).join('|')}]`, row.summary] as const);
  const chat = commandTable.find((row) => row.name === 'chat');
  return sections([
    'Talaria, a personal AI agent on your own machine.',
    `Usage: talaria [OPTIONS]            chat\n       talaria COMMAND [OPTIONS]    one of the commands below`,
    `Commands:\n${columns([...single, ...groups])}`,
    `Options:\n${describeOptions([...(chat?.options.filter((option) => option.name !== 'help') ?? []), ...programOptions])}`,
    'Settings are in ~/.talaria (or $TALARIA_HOME). `talaria help COMMAND` and `talaria COMMAND --help` say more;\n`talaria help exit-codes` and `talaria help json` are for scripts.',
  ]);
}

function describeGroup(name: string, summary: string, defaultVerb: string): string {
  const rows = commandTable.filter((row) => row.name.startsWith(`${name} `));
  return sections([
    `talaria ${name}: ${summary}`,
    `Commands (without one: ${defaultVerb}):\n${columns(rows.map((row) => [usageOf(row), describeSummary(row)] as const))}`,
    ...describeDefault(rows.find((row) => row.name === `${name} ${defaultVerb}`)),
  ]);
}

/** The bare name of a group takes the options of its usual command, so its help has to tell them. */
function describeDefault(row: CommandRow | undefined): readonly string[] {
  if (row === undefined) return [];
  return [`Options of ${row.name}:\n${describeOptions(row.options)}`, ...row.details];
}

function describeCommand(row: CommandRow): string {
  return sections([
    `Usage: talaria ${usageOf(row)} [OPTIONS]`,
    describeSummary(row),
    ...row.details,
    `Options:\n${describeOptions(row.options)}`,
    ...(row.name === 'run' ? [describeExitCodes()] : []),
  ]);
}

function describeSummary(row: CommandRow): string {
  const also = row.aliases.length === 0 ? '' : ` (also: ${row.aliases.join(', ')})`;
  return `${row.summary}${also}`;
}

function usageOf({ name, words: { label, atLeast, atMost } }: CommandRow): string {
  if (label === '') return name;
  const many = atMost === Infinity ? `${label}…` : label;
  return `${name} ${atLeast === 0 ? `[${many}]` : many}`;
}

function verbsOf(group: string): readonly string[] {
  return commandTable.filter((row) => row.name.startsWith(`${group} `)).map((row) => row.name.slice(group.length + 1));
}

function describeOptions(options: readonly OptionRow[]): string {
  return columns(
    options.map(({ name, short, value, summary }) => [
      `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      summary,
    ]),
  );
}

function describeExitCodes(): string {
  return `Exit codes:\n${columns(exitCodeTexts.map(([code, text]) => [String(code), text]))}`;
}

// What is longer stands on a line of its own.
const widestColumn = 44;

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= widestColumn));
  return rows
    .map(
      ([left, right]) => `  ${left.length > width ? `${left}\n  ${' '.repeat(width)}` : left.padEnd(width)}  ${right}`,
    )
    .join('\n');
}

function sections(texts: readonly string[]): string {
  return `${texts.join('\n\n')}\n`;
}

const jsonText = `talaria run --json prints one JSON object a line. Each has a "type":

  started          model
  entry            turnId, seq, at (milliseconds), entry: what was just written to the log, for good
  text.delta       turnId, text: a piece of the answer on its way
  reasoning.delta  turnId, text
  call.begun       turnId, name: the model began to write a tool call
  tool.progress    turnId, callId, text
  notice           turnId, text
  waiting          turnId, wait: whom or what the turn begins to wait for
  status           turnId, text: the same for people, from 30 s of silence on
  settled          the last line: ok, exitCode, sessionId, turnId, result (as in the log), text (the reply, or why
                   there is none)
  failed           the last line where there is no result: ok, exitCode, error with code and message

Entries are "turn.admitted", "turn.claimed", "turn.released", "turn.announced", "turn.steered", "turn.nudged",
"step.asked", "step.finished", "step.failed", "limit.reached", "compaction.asked", "context.compacted",
"context.restored", "context.undone", "approval.asked", "approval.answered", "question.answered", "tool.called",
"tool.settled" and "turn.settled".
Fields and types may be added; what is here stays.

Other commands print one document with "ok": true. Every command that fails prints, as its last line,
  {"type":"failed","ok":false,"exitCode":…,"error":{"code":"…","message":"…"}}
`;
