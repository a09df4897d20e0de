import type { SessionId } from '../base/ids.ts';
import type { Channel } from '../model/channel.ts';
import type { Address, Session } from '../model/session.ts';
import type { TurnRef } from '../model/turn.ts';
import type { TurnPreviews } from './turn-previews.ts';

export interface RepliesDeps {
  readonly channelFor: (address: Address) => Channel | undefined;
  /** Sends what waits in the outbox for an address, in order. Never rejects. */
  readonly deliver: (address: Address) => Promise<void>;
  readonly previews: Pick<TurnPreviews, 'end'>;
}

/**
 * Sends what turns settled to. A chat is sent to beside the lanes, so that the next turn does not wait for a large file that
 * is on its way; the outbox keeps the order. A terminal has shown it all before its next turn begins.
 */
export class Replies {
  readonly #deps: RepliesDeps;
  readonly #underWay = new Map<SessionId, Promise<void>>();

  constructor(deps: RepliesDeps) {
    this.#deps = deps;
  }

  async send({ id, address }: Session, turn: TurnRef): Promise<void> {
    const { channelFor, previews } = this.#deps;
    const traits = channelFor(address)?.traits;
    if (traits?.resend === 'reads-store') return previews.end(address, turn);
    const sending = this.#deliver(address, turn).finally(() => {
      if (this.#underWay.get(id) === sending) this.#underWay.delete(id);
    });
    this.#underWay.set(id, sending);
    if (traits?.answers === 'at-once') await sending;
  }

  /** Resolves when everything was tried that turns of a session have settled to so far; without one, of all sessions. */
  async whenSent(sessionId?: SessionId): Promise<void> {
    if (sessionId === undefined) await Promise.all(this.#underWay.values());
    else await this.#underWay.get(sessionId);
  }

  async #deliver(address: Address, turn: TurnRef): Promise<void> {
    await this.#deps.deliver(address);
    this.#deps.previews.end(address, turn);
  }
}
