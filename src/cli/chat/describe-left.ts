import type { App } from '../app-port.ts';
import type { UnsaidLines } from './unsaid-lines.ts';

export interface LeftChat {
  readonly turn: 'open' | 'none';
  readonly session: 'known' | 'none';
  readonly leftTurns: App['leftTurns'];
  /** Whether the gateway that served it is gone. */
  readonly gateway: 'there' | 'gone';
  readonly unsaid: Pick<UnsaidLines, 'describe' | 'isDoubtful'>;
}

/** What becomes of what someone leaves behind with a chat. Pure. */
export function describeLeft({ turn, session, leftTurns, gateway, unsaid }: LeftChat): readonly string[] {
  const toContinue = session === 'known' ? ['To continue this session: talaria -c'] : [];
  if (gateway === 'there') return turn === 'open' ? [leftTurnNotes[leftTurns]] : toContinue;
  // What the gateway did not take in is known to nobody but whoever typed it.
  const lines = unsaid.describe();
  if (turn === 'none') return [...lines, ...toContinue];
  return unsaid.isDoubtful ? lines : [...lines, cutOffNote];
}

const leftTurnNotes = {
  wait: 'This turn is unfinished. It goes on with: talaria -c',
  'go-on': 'This turn goes on in the gateway. To see it: talaria -c',
} as const;
const cutOffNote = 'This turn is unfinished. It goes on when the gateway is started again.';
