import { partsToText } from '../../model/message.ts';
import type { Compaction } from '../../model/turn.ts';
import type { PlacedMessage } from '../conversation.ts';

export interface TailWish {
  /** What is not shortened yet, oldest first. */
  readonly placed: readonly PlacedMessage[];
  readonly tokensOf: (message: PlacedMessage['message']) => number;
  /** How many tokens the tail may have. */
  readonly budget: number;
  /** How many messages it is to have at least. */
  readonly fewest: number;
}

/** How far the tail may pass its budget to hold the fewest messages, the newest message and the last answer. */
const stretch = 2.5;

/**
 * Where the part that is kept begins, as an index: as many of the newest messages as fit the budget, and at least the
 * newest thing that happened. It never begins between a call and its results. It reaches back to the newest message of the
 * user, the last answer shown and the fewest messages wished for, unless there is too much behind them. Pure.
 */
export function chooseTail({ placed, tokensOf, budget, fewest }: TailWish): number {
  const sizes = sizesFrom(placed.map(({ message }) => tokensOf(message)));
  const isWithin = (from: number, most: number): boolean => (sizes[from] ?? 0) <= most;
  const begins = placed.flatMap(({ message }, index) => (message.role === 'tool' ? [] : [index]));
  const newest = begins.at(-1) ?? 0;
  const fitting = begins.find((index) => isWithin(index, budget)) ?? newest;
  const message = placed.findLastIndex(({ author }) => author === 'user');
  const answer = placed.findLastIndex((each) => isAnswer(each));
  const enough = begins.findLast((index) => index <= placed.length - fewest) ?? 0;
  const wished = [Math.min(message, answer), message, enough].filter((index) => index >= 0);
  return Math.min(fitting, ...wished.filter((index) => isWithin(index, budget * stretch)));
}

/**
 * The newest message of the user stays in sight also where what was done about it is shortened. It is then in the marked
 * turn: whatever follows it is of the same turn. Pure.
 */
export function holdMessage(
  placed: readonly PlacedMessage[],
  start: number,
  earlier: Compaction | undefined,
): Pick<Compaction, 'holds'> {
  const newest = placed.findLastIndex(({ author }) => author === 'user');
  const holds = newest === -1 ? earlier?.holds : placed[newest]?.mark.messages;
  return newest >= start || holds === undefined ? {} : { holds };
}

/** For each message, its size and that of all behind it. */
function sizesFrom(sizes: readonly number[]): readonly number[] {
  const sums: number[] = [];
  let sum = 0;
  for (const size of sizes.toReversed()) sums.push((sum += size));
  return sums.toReversed();
}

function isAnswer({ message }: PlacedMessage): boolean {
  return message.role === 'assistant' && partsToText(message.parts).trim() !== '';
}
