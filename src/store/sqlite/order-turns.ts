import type { SessionId, TurnId } from '../../base/ids.ts';
import type { WaitingTurn } from '../../model/store.ts';
import type { SaidMessage } from '../../model/turn.ts';

export interface UnsettledRow {
  readonly session_id: SessionId;
  readonly id: TurnId;
  readonly interrupts: TurnId | null;
  /** When the turn was admitted that this one interrupts, counted in admissions. */
  readonly interrupted_number: number | null;
  /** JSON; NULL for none. */
  readonly reply_to: string | null;
}

/**
 * The order in which turns run, from rows in order of admission. A turn that interrupts another comes right behind it; once
 * that one is settled it comes first, the latest interruption before an earlier one. Everything else keeps its order. Pure.
 */
export function orderTurns(rows: readonly UnsettledRow[]): readonly WaitingTurn[] {
  if (rows.every(({ interrupts }) => interrupts === null)) return rows.map(toTurn);
  const unsettled = new Set(rows.map(({ id }) => id));
  const isFree = ({ interrupts }: UnsettledRow): boolean => interrupts !== null && !unsettled.has(interrupts);
  const followers = Map.groupBy(rows, ({ interrupts }) => interrupts);
  const withFollowers = (row: UnsettledRow): readonly UnsettledRow[] => [
    row,
    ...(followers.get(row.id) ?? []).flatMap(withFollowers),
  ];
  const first = rows.filter(isFree).toSorted((left, right) => interruptedNumber(right) - interruptedNumber(left));
  const others = rows.filter(({ interrupts }) => interrupts === null);
  return [...first, ...others].flatMap(withFollowers).map(toTurn);
}

function interruptedNumber({ interrupted_number: number }: UnsettledRow): number {
  return number ?? 0;
}

function toTurn({ session_id: sessionId, id: turnId, interrupts, reply_to: replyTo }: UnsettledRow): WaitingTurn {
  return {
    sessionId,
    turnId,
    ...(interrupts !== null && { interrupts }),
    ...(replyTo !== null && { replyTo: JSON.parse(replyTo) as SaidMessage }),
  };
}
