import type { Message } from '../../model/message.ts';
import type { ContextMark } from '../../model/turn.ts';
import { promptText } from '../asked-prefixes.ts';
import type { PlacedMessage } from '../conversation.ts';
import { leastSaving } from './compactions.ts';
import { chooseTail, holdMessage } from './choose-tail.ts';
import type { TailWish } from './choose-tail.ts';
import type { CompactionDeps } from './compaction-deps.ts';
import { estimatePrompt, limitNow } from './measure-prompt.ts';
import { loadTokenCounter } from './token-counts.ts';
import type { CountTokens } from './token-counts.ts';
import { keepWords, renderWords } from './users-words.ts';
import type { KeptWords } from './users-words.ts';

/** Why a conversation is shortened: it nears the limit, a server says it is too long, or somebody wishes it. */
export type CompactionCause =
  | { readonly type: 'too-full' }
  | { readonly type: 'overflow' }
  | { readonly type: 'asked'; readonly focus: string };

/** What is shortened and what stays. */
export interface CompactionPlan {
  readonly cause: CompactionCause;
  readonly through: ContextMark;
  readonly holds: number | undefined;
  /** The messages that a summary is to stand for, without what an earlier one stands for. */
  readonly past: readonly Message[];
  /** What stays as it is. */
  readonly kept: readonly Message[];
  readonly words: KeptWords;
  /** How many tokens the prompt has now, as far as a server counted them. */
  readonly before: number;
  /** How many tokens a prompt with these messages would have, all of it estimated. */
  readonly size: (messages: readonly Message[]) => number;
  readonly count: CountTokens;
}

const fewestMessages = 4;
const wordsShare = 0.2;
/** What a summary takes at the very least. */
const leastSummary = 200;

/** Decides what to shorten; undefined where it would not be worth it. */
export async function planCompaction(
  cause: CompactionCause,
  deps: CompactionDeps,
): Promise<CompactionPlan | undefined> {
  const { conversation, recorder, prompt } = deps;
  const placed = conversation.placedFor(recorder.turn.turnId);
  if (placed.length < fewestMessages && cause.type !== 'overflow') return undefined;
  const count = await loadTokenCounter();
  const before = estimatePrompt(deps, count);
  const allowed = await limitNow(deps);
  const limit = wishedLimit(cause, before, allowed);
  const tokensOf = (message: Message): number => conversation.tokens.of([message], count);
  const start = chooseTail({ placed, tokensOf, ...tailSize(cause, limit, deps) });
  const earlier = conversation.compactions.inForce?.compaction;
  // Where nothing newer can go, what stands for the beginning is itself too long: it was made for a larger window.
  const through = placed[start - 1]?.mark ?? (cause.type === 'overflow' ? earlier?.through : undefined);
  if (through === undefined) return undefined;
  const held = { through, ...holdMessage(placed, start, earlier) };
  const words = keepWords(conversation.saidIn(held), wordsShare * (cause.type === 'asked' ? allowed : limit), count);
  const fixed = count(promptText(prompt));
  const plan: CompactionPlan = {
    cause,
    through,
    holds: held.holds,
    past: messagesOf(placed.slice(0, start)),
    kept: [...conversation.heldBy(held), ...messagesOf(placed.slice(start))],
    words,
    before,
    size: (messages) => fixed + conversation.tokens.of(messages, count),
    count,
  };
  return isWorthIt(plan, conversation.messagesFor(recorder.turn.turnId)) ? plan : undefined;
}

/**
 * What the prompt is to stay below. A server that says it is too long knows better than the settings: each time that it
 * says so, there is half as much.
 */
function wishedLimit(cause: CompactionCause, before: number, limit: number): number {
  switch (cause.type) {
    case 'too-full':
      return limit;
    case 'overflow':
      return Math.min(limit, before / 2);
    case 'asked':
      return Math.min(limit, before);
  }
}

/** Where a server says it is too long, nothing is kept just for being new. */
function tailSize(
  cause: CompactionCause,
  limit: number,
  { compaction: { targetRatio, protectLast } }: CompactionDeps,
): Pick<TailWish, 'budget' | 'fewest'> {
  const budget = limit * targetRatio;
  return { budget, fewest: cause.type === 'overflow' ? 1 : protectLast };
}

/** Where a server says it is too long, anything that makes it shorter is worth it: the turn fails otherwise. */
function isWorthIt({ cause, kept, words, size, count }: CompactionPlan, now: readonly Message[]): boolean {
  const after = size(kept) + count(renderWords(words)) + leastSummary;
  return cause.type === 'overflow' ? after < size(now) : after <= size(now) * (1 - leastSaving);
}

function messagesOf(placed: readonly PlacedMessage[]): readonly Message[] {
  return placed.map(({ message }) => message);
}
