/** How much output to ask for: more with every answer that was cut off, never less than was asked for before. */
export function outputAllowance(asked: number | undefined, cutsBefore: number): number | undefined {
  if (cutsBefore === 0) return asked;
  const base = asked ?? 4096;
  return Math.max(base, Math.min(base * (cutsBefore + 1), longestGrownAnswer));
}

// There are models that refuse a request which asks for more.
const longestGrownAnswer = 32_000;
