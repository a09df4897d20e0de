/** An amount in millionths of a US dollar, so that sums are exact. */
export type MicroUsd = number;

export const microUsdPerUsd = 1_000_000;

/** An amount as people read it: cents where they matter, more digits where there are few. */
export function formatUsd(amount: MicroUsd): string {
  const usd = amount / microUsdPerUsd;
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  return `$${usd.toFixed(digits)}`;
}
