import type { App } from '../app-port.ts';
import type { UnsaidLines } from './unsaid-lines.ts';

export interface LeftChat {
  readonly turn: 'open' | 'none';
  /** The command that leads back to its session; undefined where there is nothing to go back to. */
  readonly wayBack: string | undefined;
  readonly leftTurns: App['leftTurns'];
  /** Whether the gateway that served it is gone. */
  readonly gateway: 'there' | 'gone';
  readonly unsaid: Pick<UnsaidLines, 'describe' | 'isDoubtful'>;
}

/** What becomes of what someone leaves behind with a chat. Pure. */
export function describeLeft({ turn, wayBack, leftTurns, gateway, unsaid }: LeftChat): readonly string[] {
  const toContinue = wayBack === undefined ? [] : [`To continue this session: ${wayBack}`];
  // A line that nobody has answered yet may have begun the newest session there is.
  const toSee = wayBack ?? 'talaria -c';
  if (gateway === 'there') return turn === 'open' ? [`${leftTurnNotes[leftTurns]}: ${toSee}`] : toContinue;
  // What the gateway did not take in is known to nobody but whoever typed it.
  const lines = unsaid.describe(toSee);
  if (turn === 'none') return [...lines, ...toContinue];
  return unsaid.isDoubtful ? lines : [...lines, cutOffNote];
}

const leftTurnNotes = {
  wait: 'This turn is unfinished. It goes on with',
  'go-on': 'This turn goes on in the gateway. To see it',
} as const;
const cutOffNote = 'This turn is unfinished. It goes on when the gateway is started again.';
