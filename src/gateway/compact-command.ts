import type { Work } from './command-deps.ts';

/** `/compact undo` takes the last compaction back; any other words say what the summary is to dwell on. Pure. */
export function readCompact(rest: string): Promise<Work> {
  const isUndo = rest.toLowerCase() === 'undo';
  const purpose = isUndo ? ({ type: 'undo-compaction' } as const) : ({ type: 'compact', focus: rest } as const);
  return Promise.resolve({ type: 'work', purpose });
}
