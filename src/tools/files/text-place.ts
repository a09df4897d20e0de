/** A piece of a text, and what a replacement becomes when it is put there. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
  readonly adapt: (replacement: string) => string;
}

/** More places than that are not looked for: to change them would hold up everything else. */
export const mostPlaces = 100_000;
