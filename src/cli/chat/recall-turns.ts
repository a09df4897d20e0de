import { lastTurn } from '../../gateway/undo-commands.ts';
import type { LoggedEntry, TurnEntry } from '../../model/turn.ts';
import { transcribe } from '../render/transcript.ts';
import type { TurnTranscript, Unfinished } from '../render/transcript.ts';

/**
 * What whoever comes back to a session is shown of it: the last exchange that the model still reads, and behind it what was done
 * last where that is a command such as /undo. Where something is unfinished, everything from there on. Pure.
 */
export function recallTurns(log: readonly LoggedEntry[], unfinished: Unfinished): readonly TurnTranscript[] {
  const turns = transcribe(log, unfinished);
  const firstOpen = turns.findIndex((turn) => turn.result === undefined);
  if (firstOpen !== -1) return turns.slice(firstOpen);
  const counting = lastTurn(log)?.turnId;
  const done = lastCommand(log);
  return turns.filter(({ turnId }) => turnId === counting || turnId === done);
}

/** The entries of the turn that was begun and has no result. Pure. */
export function findUnderWay(log: readonly LoggedEntry[]): readonly LoggedEntry[] {
  const byTurn = [...Map.groupBy(log, ({ turnId }) => turnId).values()];
  return byTurn.find((turn) => has(turn, 'turn.claimed') && !has(turn, 'turn.settled')) ?? [];
}

function has(turn: readonly LoggedEntry[], type: TurnEntry['type']): boolean {
  return turn.some(({ entry }) => entry.type === type);
}

/** The turn that ended last, where it is a command and nobody's message. */
function lastCommand(log: readonly LoggedEntry[]): string | undefined {
  const last = log.findLast(({ entry }) => entry.type === 'turn.settled')?.turnId;
  const isCommand = log.some(
    ({ turnId, entry }) => turnId === last && entry.type === 'turn.admitted' && entry.purpose !== undefined,
  );
  return isCommand ? last : undefined;
}
