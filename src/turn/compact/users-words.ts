import { shortenText } from './shorten-text.ts';
import type { CountTokens } from './token-counts.ts';

/** What is kept of all that the user said: the first and the last of it, and how many messages are missing between them. */
export interface KeptWords {
  readonly first: readonly string[];
  readonly leftOut: number;
  readonly last: readonly string[];
}

/** Longer ones are pasted files rather than speech. */
const longestSaying = 4000;
/** What is shorter than this says little once it is cut. */
const shortestCut = 250;
/** How much of the room the first messages get, where not all have room. What is meant to last is said early or late. */
const firstShare = 1 / 3;

/**
 * What the user said, word for word and in order. Very long messages keep their beginning and end; where all of them
 * together are too much, the longest are shortened first, and then those in the middle are left out and counted. Pure.
 */
export function keepWords(said: readonly string[], mostTokens: number, count: CountTokens): KeptWords {
  for (let longest = longestSaying; ; longest = Math.floor(longest / 2)) {
    const kept = { first: said.map((text) => shortenText(text, longest)), leftOut: 0, last: [] };
    if (count(renderWords(kept)) <= mostTokens) return kept;
    if (longest / 2 < shortestCut) return leaveOut(kept.first, mostTokens, count);
  }
}

/** What is kept, as a numbered list. The numbers are those of the whole, so that it shows where something is missing. Pure. */
export function renderWords({ first, leftOut, last }: KeptWords): string {
  const gap = leftOut === 1 ? '1 message of the user is' : `${leftOut} messages of the user are`;
  return [
    ...numbered(first, 1),
    ...(leftOut > 0 ? [`[… ${gap} left out here; the log has them …]`] : []),
    ...numbered(last, first.length + leftOut + 1),
  ].join('\n\n');
}

function numbered(texts: readonly string[], from: number): readonly string[] {
  return texts.map((text, index) => `${from + index}. ${text}`);
}

/** For the number of a message and what parts it from the next. */
const tokensAround = 4;
/** For the line that says how many are missing. */
const tokensOfGap = 24;

function leaveOut(said: readonly string[], mostTokens: number, count: CountTokens): KeptWords {
  const sizes = said.map((text) => count(text) + tokensAround);
  const room = mostTokens - tokensOfGap;
  const first = fitting(sizes, room * firstShare);
  const firstSize = sizes.slice(0, first).reduce((sum, size) => sum + size, 0);
  const last = fitting(sizes.slice(first).toReversed(), room - firstSize);
  return {
    first: said.slice(0, first),
    leftOut: said.length - first - last,
    last: said.slice(said.length - last),
  };
}

/** How many of the sizes, from the first on, fit together. */
function fitting(sizes: readonly number[], room: number): number {
  let sum = 0;
  const tooMuch = sizes.findIndex((size) => (sum += size) > room);
  return tooMuch === -1 ? sizes.length : tooMuch;
}
