/** What a cached agent takes, and whether a turn runs on it. */
export interface Holding {
  readonly isMidTurn: boolean;
  readonly bytes: number;
}

/** How much may be kept; undefined where there is no bound. */
export interface Bounds {
  readonly maxAgents: number | undefined;
  readonly maxBytes: number | undefined;
}

export interface Excess<Held> {
  readonly going: readonly Held[];
  /** How many would have to go and stay, since a turn runs on them. */
  readonly midTurn: number;
}

/**
 * Who has to go so that the bounds hold. Only as many of the oldest as are too many are looked at: one that is mid-turn
 * stays, and nothing newer goes in its place. Pure.
 */
export function chooseExcess<Held extends Holding>(oldestFirst: readonly Held[], bounds: Bounds): Excess<Held> {
  const tooMany = Math.max(countOver(oldestFirst, bounds.maxAgents), heavyOver(oldestFirst, bounds.maxBytes));
  const excess = oldestFirst.slice(0, tooMany);
  const going = excess.filter(({ isMidTurn }) => !isMidTurn);
  return { going, midTurn: excess.length - going.length };
}

function countOver(held: readonly Holding[], most: number | undefined): number {
  return most === undefined ? 0 : Math.max(0, held.length - most);
}

/** How many of the oldest weigh what is too much. The newest always stays: it would only have to be built again. */
function heavyOver(held: readonly Holding[], most: number | undefined): number {
  if (most === undefined) return 0;
  let over = held.reduce((sum, { bytes }) => sum + bytes, 0) - most;
  let count = 0;
  while (over > 0 && count < held.length - 1) {
    over -= held[count]?.bytes ?? 0;
    count += 1;
  }
  return count;
}
