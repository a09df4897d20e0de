/** How alike two texts are, from 0 to 1: the share of letter pairs that they have in common. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < left.length; at += 1) {
    const pair = left.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at + 1 < right.length; at += 1) {
    const pair = right.slice(at, at + 2);
    const unmatched = pairs.get(pair) ?? 0;
    if (unmatched > 0) common += 1;
    pairs.set(pair, unmatched - 1);
  }
  const total = left.length + right.length - 2;
  return total <= 0 ? 0 : (2 * common) / total;
}
