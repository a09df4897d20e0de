import type { Purpose } from '../model/turn.ts';

/** `/compact undo` takes the last compaction back; any other words say what the summary is to dwell on. Pure. */
export function readCompact(rest: string): Promise<Purpose> {
  const isUndo = rest.toLowerCase() === 'undo';
  return Promise.resolve(isUndo ? { type: 'undo-compaction' } : { type: 'compact', focus: rest });
}
