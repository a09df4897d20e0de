import { shortenText } from './shorten-text.ts';
import type { CountTokens } from './token-counts.ts';

/** Longer ones are pasted files rather than speech. */
const longestSaying = 4000;
const shortestCut = 40;

/**
 * Everything that the user said, word for word and in order. Very long messages keep their beginning and end; where all of
 * them together are too much, the longest are shortened first. None is ever left out. Pure.
 */
export function keepWords(said: readonly string[], mostTokens: number, count: CountTokens): readonly string[] {
  for (let longest = longestSaying; ; longest = Math.floor(longest / 2)) {
    const kept = said.map((text) => shortenText(text, longest));
    const tokens = kept.reduce((sum, text) => sum + count(text), 0);
    if (tokens <= mostTokens || longest / 2 < shortestCut) return kept;
  }
}
