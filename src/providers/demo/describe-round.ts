import type { Json } from '../../base/json.ts';
import type { CommandLine } from './command-line.ts';
import type { DemoRound } from './demo-request.ts';
import { readOwnCommand } from './own-commands.ts';
import { describeStart, startedIn } from './processes.ts';
import { readToolResult } from './tool-result.ts';
import type { ToolResult } from './tool-result.ts';

export interface RoundDescription {
  readonly type: 'good' | 'bad';
  readonly text: string;
}

type Done = Extract<ToolResult, { readonly type: 'done' }>;

const mostLines = 20;

/** What a call did, from its result alone: nothing is claimed that the tool did not say. Pure. */
export function describeRound(round: DemoRound): RoundDescription {
  const result = readToolResult(round.result);
  switch (result.type) {
    case 'done':
      return { type: 'good', text: describeDone(round, result) };
    case 'refused':
      // Why is what the line of the call says, right above this.
      return { type: 'bad', text: `Then I leave it: ${nameCall(round)} did not run.` };
    case 'failed':
      return { type: 'bad', text: `That did not work (${nameCall(round)}): ${adviseLeaving(result.reason)}` };
    case 'stopped':
      return { type: 'bad', text: `Stopped: ${nameCall(round)} may have run in part.` };
    case 'unknown':
      return { type: 'bad', text: `I do not know what ${nameCall(round)} did before the program ended.` };
  }
}

function describeDone(round: DemoRound, result: Done): string {
  const path = textOf(round.input['path']);
  const started = startedIn(round.result);
  switch (round.tool) {
    case 'terminal':
      return started === undefined
        ? describeCommand(textOf(round.input['command']), result)
        : describeStart(textOf(round.input['command']), started, round.result);
    case 'process':
      return describeProcess(textOf(round.input['action']), textOf(round.input['id']), result);
    case 'read_file':
      return `${path} reads:\n\n${show(result)}`;
    case 'write_file':
      return `I wrote this to ${path}:\n\n${fence(textOf(round.input['content']).trimEnd().split('\n'))}`;
    case 'patch':
      return `I changed ${path}:\n\n${fence(hunksIn(result.lines))}`;
    case 'search_files':
      return describeSearch(round, result);
    default:
      return `${nameCall(round)} answered:\n\n${show(result)}`;
  }
}

function describeCommand(command: string, result: Done): string {
  if (result.exitCode !== 0) return `\`${command}\` did not succeed:\n\n${show(result)}`;
  const own = readOwnCommand(command);
  if (own?.type === 'listing') return describeListing(result.lines);
  if (own?.type === 'appending') return `I added that to the end of ${own.path}.`;
  if (own?.type === 'deleting') return `I deleted ${own.path}.`;
  if (command === 'date') return `It is ${result.lines.join(' ')}.`;
  if (result.lines.length === 0) return `\`${command}\` ran and printed nothing.`;
  return `\`${command}\` printed:\n\n${show(result)}`;
}

function describeProcess(action: string, id: string, result: Done): string {
  if (action === 'read') {
    return `${id} has printed ${result.lines.length === 0 ? 'nothing so far.\n' : 'this so far:\n\n'}${show(result)}`;
  }
  const isList = result.lines.some((line) => /^proc_\w+ .*; started /.test(line));
  return isList ? `These are the background processes:\n\n${fence(result.lines)}` : result.lines.join('\n');
}

function describeListing(lines: readonly string[]): string {
  if (lines.length === 0) return 'There is nothing in that folder.';
  const folders = lines.filter((line) => line.endsWith('/'));
  const files = lines.filter((line) => !line.endsWith('/'));
  const verb = files.length === 1 ? 'is' : 'are';
  return `There ${verb} ${count(files, 'file')} and ${count(folders, 'folder')}:\n\n${fence(lines)}`;
}

function describeSearch(round: DemoRound, result: Done): string {
  const path = textOf(round.input['path']);
  const pattern = textOf(round.input['pattern']).replaceAll(/\\(.)/g, '$1');
  if (result.lines.length === 0) return `I found no ${pattern} ${path === '.' ? 'here' : `in ${path}`}.`;
  return `This is what I found for ${pattern}:\n\n${show(result)}`;
}

/** A diff without the names of the file above it. */
function hunksIn(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(first, 0));
}

export function findLastCommand(rounds: readonly DemoRound[]): Pick<CommandLine, 'command' | 'waits'> | undefined {
  const last = rounds.findLast(({ tool, input }) => tool === 'terminal' && textOf(input['command']) !== '')?.input;
  if (last === undefined) return undefined;
  return { command: textOf(last['command']), waits: last['background'] === true ? 'not-at-all' : 'for-its-end' };
}

/** The first file that a call dealt with, for whoever says "read it". */
export function firstPathIn(round: DemoRound): string | undefined {
  const named = onlyPathIn(round);
  if (named !== undefined) return named;
  const path = textOf(round.input['path']);
  const own = readOwnCommand(textOf(round.input['command']));
  const result = readToolResult(round.result);
  if (result.type !== 'done') return undefined;
  const first = result.lines.find((line) => line !== '' && !line.endsWith('/'));
  const folder = round.tool === 'search_files' ? path : own?.type === 'listing' ? own.path : '.';
  if (first === undefined || first.startsWith('/') || folder === '.') return first;
  return `${folder.replace(/\/+$/, '')}/${first}`;
}

/** The one file that a call was about, for whoever says "delete it": the first of a list would be a guess. */
export function onlyPathIn(round: DemoRound): string | undefined {
  const path = textOf(round.input['path']);
  if (['write_file', 'read_file', 'patch'].includes(round.tool)) return path === '' ? undefined : path;
  const own = readOwnCommand(textOf(round.input['command']));
  return own?.type === 'appending' ? own.path : undefined;
}

function nameCall(round: DemoRound): string {
  const about = ['command', 'path', 'id'].map((name) => textOf(round.input[name])).find((text) => text !== '') ?? '';
  return about === '' ? round.tool : `${round.tool} (${about})`;
}

/** What a tool put out, and below it what it noted. */
function show(result: Done): string {
  const notes = result.notes
    .filter((note) => note !== 'no output')
    .map((note) => (adviceToModel.test(note) ? adviseLeaving(note) : `(${note})`));
  return [...(result.lines.length === 0 ? [] : [fence(result.lines)]), ...notes].join('\n');
}

// What tools say about the sandbox ends in advice to the model that calls them.
const adviceToModel =
  /^(this ran in the sandbox: .*?|the sandbox does not show .*?)(?:\. If that is in the way|; set workdir)\b.*$/;

/** The same in words that are the user's to say. */
function adviseLeaving(text: string): string {
  return text.replace(
    adviceToModel,
    (_, fact: string) => `${capitalise(fact)}. To leave it, say: run it outside the sandbox. You are asked first.`,
  );
}

function fence(lines: readonly string[]): string {
  const shown = lines.slice(0, mostLines);
  const rest = lines.length - shown.length;
  return ['```', ...shown, '```', ...(rest > 0 ? [`… and ${rest} more lines.`] : [])].join('\n');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function count(items: readonly string[], noun: string): string {
  return `${items.length} ${noun}${items.length === 1 ? '' : 's'}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
