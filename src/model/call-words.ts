import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { underlyingCall } from './bridged-call.ts';
import { shownArguments } from './call-summary.ts';
import type { ToolCall } from './message.ts';

const tellingArguments: readonly string[] = ['command', 'path', 'pattern', 'query', 'url', 'name'];

/** What a call does, in the words that a person reads behind the name of the tool. It may have several lines. Pure. */
export function callWords(call: ToolCall): string {
  const text = shownArguments(call);
  const written = parseJson(text);
  if (!isJsonObject(written)) return text;
  return (wordings[underlyingCall(call).name] ?? usualWords)(written).trim();
}

/** A call on one line: the tool and what it does, cut where that is too long. Pure. */
export function callLine(call: ToolCall, most: number): string {
  const flat = `${underlyingCall(call).name} ${callWords(call)}`.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(flat);
  return characters.length <= most ? flat : `${characters.slice(0, most - 1).join('')}…`;
}

const longestName = 60;

/** A call within a sentence. A command says more than the name of the tool that runs it. Pure. */
export function nameCall(call: ToolCall): string {
  const { name } = underlyingCall(call);
  if (name !== 'terminal' || callWords(call) === '') return callLine(call, longestName);
  return `\`${callLine(call, longestName + name.length + 1).slice(name.length + 1)}\``;
}

type Wording = (input: JsonObject) => string;

const wordings: Readonly<Record<string, Wording>> = {
  browser: browserWords,
  clarify: ({ question }) => wordOf(question),
  process: processWords,
  send_message: ({ to, text }) => (to === undefined ? wordOf(text) : `to ${wordOf(to)}: ${wordOf(text)}`),
  todo: todoWords,
};

/** The argument that says most; all of them where none does. */
function usualWords(input: JsonObject): string {
  const telling = tellingArguments.map((name) => input[name]).find((value) => typeof value === 'string');
  if (typeof telling === 'string') return telling;
  const [first, ...others] = Object.entries(input);
  // The only argument needs no name.
  if (first !== undefined && others.length === 0 && typeof first[1] === 'string') return first[1];
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${wordOf(value)}`)
    .join(', ');
}

function browserWords({ action, url, ref, text, number }: JsonObject): string {
  if (action === 'type') return `type ${wordOf(text)} into ${wordOf(ref)}`;
  return sentence([action, url, ref, text, number]);
}

function processWords({ action, id, text }: JsonObject): string {
  const act = sentence([action, id]);
  return text === undefined ? act : `${act}: ${wordOf(text)}`;
}

function todoWords({ todos, merge }: JsonObject): string {
  if (!Array.isArray(todos)) return 'read';
  const items = (todos as readonly Json[]).filter(isJsonObject);
  if (merge !== true) {
    const ended = items.filter(({ status }) => status === 'completed' || status === 'cancelled').length;
    return `${ended} of ${items.length} done`;
  }
  const changes = items.map(({ id, status }) => `${wordOf(id)} ${wordOf(status ?? 'changed').replaceAll('_', ' ')}`);
  return `mark ${changes.join(', ')}`;
}

function sentence(values: readonly (Json | undefined)[]): string {
  return values
    .filter((value) => value !== undefined)
    .map(wordOf)
    .join(' ');
}

/** A value without the signs of JSON. */
function wordOf(value: Json | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(wordOf).join(', ');
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${wordOf(inner)}`)
    .join(', ');
}
