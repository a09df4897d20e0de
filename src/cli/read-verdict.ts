import type { Verdict } from '../model/turn.ts';

/** Only a plain yes is a yes. Pure. */
export function readVerdict(line: string): Verdict {
  return /^\s*y(es)?\s*$/i.test(line) ? 'approved' : 'denied';
}
