/** What a message does that comes while a turn runs: joins it, waits behind it, or stops it and comes next. */
export const busyModes = ['steer', 'queue', 'interrupt'] as const;

export type BusyMode = (typeof busyModes)[number];
