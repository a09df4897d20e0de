import type { ImagePart } from '../model/message.ts';
import type { StoreTx } from '../model/store.ts';
import { foldEntry } from '../model/turn-state.ts';
import type { TurnEntry, TurnResult } from '../model/turn.ts';
import { decideNext } from './decide-next.ts';
import type { TurnLimits } from './decide-next.ts';
import type { Recorder } from './recorder.ts';

/** What it takes to settle a turn. */
export interface SettleDeps {
  readonly recorder: Recorder;
  readonly limits: TurnLimits;
  /** Whatever has to become durable in the same moment as the result: the reply on its way out, the message dealt with. */
  readonly settleWith: (tx: StoreTx, result: TurnResult, pictures: readonly ImagePart[]) => Promise<void>;
}

/** How the turn ends if the answer is its last. */
export interface LastWord {
  readonly entry: Extract<TurnEntry, { readonly type: 'turn.settled' }>;
  /** To be done behind the entries, in the same transaction: whoever reads both finds the reply behind them. */
  readonly settle: (tx: StoreTx) => Promise<void>;
}

/**
 * What the write of an answer ends with: the result of the turn, if the answer is its last. Undefined where there is more to
 * do, or where something was said that the turn has not seen; what follows then is decided from the log, like everything.
 */
export async function findLastWord(
  answered: readonly TurnEntry[],
  tx: StoreTx,
  { recorder, limits, settleWith }: SettleDeps,
): Promise<LastWord | undefined> {
  const state = answered.reduce(foldEntry, recorder.state);
  const next = decideNext(state, limits);
  if (next.type !== 'settle' || state.openCalls.length > 0 || !(await recorder.isCurrent(tx))) return undefined;
  const { result } = next;
  return { entry: { type: 'turn.settled', result }, settle: (same) => settleWith(same, result, state.pictures) };
}
