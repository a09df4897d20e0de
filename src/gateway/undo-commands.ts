import type { TurnId } from '../base/ids.ts';
import { partsToText } from '../model/message.ts';
import type { Part, ToolCall } from '../model/message.ts';
import type { NewSession } from '../model/store.ts';
import type { LoggedEntry, TurnEntry } from '../model/turn.ts';
import type { CommandDeps, CommandOutcome } from './command-deps.ts';
import { quoteSaid } from './quote-said.ts';

const nothing = 'There is nothing to take back here.';
const longestQuote = 60;
const longestCall = 120;
const mostCalls = 20;

/** Takes the last turn out of what the model reads. It stays in the log and in the search. */
export async function runUndo(where: NewSession, deps: CommandDeps): Promise<CommandOutcome> {
  const found = await findLastTurn(where, 'undo', deps);
  if (typeof found === 'string') return found;
  const said = quote(found.parts);
  return { type: 'work', purpose: { type: 'undo', turn: found.turnId, ...(said !== '' && { said }) } };
}

/** Takes the last turn back and says its message again, and what was added to it; the model is told what ran then, so that it decides anew. */
export async function runRetry(where: NewSession, deps: CommandDeps): Promise<CommandOutcome> {
  const found = await findLastTurn(where, 'retry', deps);
  if (typeof found === 'string') return found;
  const { turnId, parts, added, calls, note: earlier } = found;
  const note = calls.length === 0 ? earlier : describeForModel(calls, earlier);
  const stays = note === '' ? '' : ' What its tools did stays done, and the model is told of it.';
  const additions = added.length === 0 ? '' : `, with what was added to it: ${quoteSaid(added)}`;
  const told = `Once more, in place of the last turn: “${quote(parts)}”${additions}.${stays}`;
  return { type: 'work', purpose: { type: 'retry', turn: turnId, note }, parts: [...parts, ...added.flat()], told };
}

interface LastTurn {
  readonly turnId: TurnId;
  readonly parts: readonly Part[];
  /** What was said to it while it ran. */
  readonly added: readonly (readonly Part[])[];
  readonly calls: readonly ToolCall[];
  /** What the turn itself was told about one that it replaced. */
  readonly note: string;
}

async function findLastTurn(where: NewSession, command: string, deps: CommandDeps): Promise<LastTurn | string> {
  const session = await deps.store.sessions.at(where);
  if (deps.lanes.isBusy(session.id)) return `A turn is running here. /stop it first, then /${command}.`;
  return lastTurn(await deps.store.turns.after(session.id, 0)) ?? nothing;
}

/** The turn that ended last, of those that the model reads and that someone's message began. Pure. */
export function lastTurn(log: readonly LoggedEntry[]): LastTurn | undefined {
  const undone = new Set(log.flatMap(({ entry }) => (entry.type === 'context.undone' ? [entry.turn] : [])));
  const messages = new Map(log.flatMap(({ turnId, entry }) => (isMessage(entry) ? [[turnId, entry]] : [])));
  // Not the one that was admitted last: an interruption runs before what waited.
  const turnId = log.findLast(
    ({ turnId: id, entry }) => entry.type === 'turn.settled' && messages.has(id) && !undone.has(id),
  )?.turnId;
  const message = turnId && messages.get(turnId);
  if (message === undefined || turnId === undefined) return undefined;
  const ofTurn = log.filter((each) => each.turnId === turnId);
  const calls = ofTurn.flatMap(({ entry }) => (entry.type === 'tool.called' ? [entry.call] : []));
  const added = ofTurn.flatMap(({ entry }) => (entry.type === 'turn.steered' ? [entry.parts] : []));
  const note = message.purpose?.type === 'retry' ? message.purpose.note : '';
  return { turnId, parts: message.parts, added, calls, note };
}

type Admission = Extract<TurnEntry, { readonly type: 'turn.admitted' }>;

function isMessage(entry: TurnEntry): entry is Admission {
  return entry.type === 'turn.admitted' && (entry.purpose === undefined || entry.purpose.type === 'retry');
}

/** The model does not see the turn that was taken back: without this it would do everything a second time. */
function describeForModel(calls: readonly ToolCall[], earlier: string): string {
  const listed = calls.slice(-mostCalls).map(({ name, arguments: text }) => `- ${name} ${cut(text, longestCall)}`);
  const missing = calls.length - listed.length;
  return [
    ...(earlier === '' ? [] : [earlier, '']),
    '[An earlier try at this was taken back, but these calls of it ran, and what they changed is still changed. Look before you do any of it again:',
    ...(missing === 0 ? [] : [`- ${missing} more before these`]),
    ...listed,
    ']',
  ].join('\n');
}

function quote(parts: readonly Part[]): string {
  return cut(partsToText(parts).replaceAll(/\s+/g, ' '), longestQuote);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
