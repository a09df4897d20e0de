import type { ToolPlace } from '../../model/tool.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { ActName } from './remote-script.ts';
import type { Told } from './told.ts';

/** What became of an act that was to be done elsewhere. */
export type Deed =
  | { readonly type: 'told'; readonly told: Told; readonly epoch: string }
  /** Nothing was done, for certain. */
  | { readonly type: 'unreached'; readonly reason: string }
  /** It may have been done. */
  | { readonly type: 'broken'; readonly reason: string }
  | { readonly type: 'aborted' };

export interface Act {
  readonly name: ActName;
  readonly words: readonly (string | Buffer)[];
  readonly place: ToolPlace;
  readonly show?: (line: Buffer) => void;
}

/** Has things done elsewhere, for the sessions of this process. What that takes is loaded with the first one. */
export class RemoteLink {
  readonly there: Elsewhere;

  constructor(there: Elsewhere) {
    this.there = there;
  }

  /** One try. */
  async perform({ name, words, place, show = () => undefined }: Act, signal: AbortSignal): Promise<Deed> {
    const reached = await this.there.reach(place, signal);
    if (signal.aborted) return { type: 'aborted' };
    if (reached.type === 'closed') return { type: 'unreached', reason: reached.reason };
    const [{ converse }, { remoteAct }, { ToldSoFar }] = await Promise.all([
      import('./converse.ts'),
      import('./remote-script.ts'),
      import('./told.ts'),
    ]);
    const heard = new ToldSoFar(show);
    const talk = await converse(reached.way, remoteAct(name, words), (answer) => heard.hear(answer), signal);
    switch (talk.type) {
      case 'over':
        return { type: 'told', told: heard.result(), epoch: heard.epoch };
      case 'aborted':
        return talk;
      case 'broken': {
        const reason = this.there.explain(talk.breakage);
        return { type: talk.isSent ? 'broken' : 'unreached', reason };
      }
    }
  }
}
