import type { Clock } from '../base/clock.ts';
import type { ChannelTraits } from '../model/channel.ts';
import type { Address, Session } from '../model/session.ts';
import type { StoreTx } from '../model/store.ts';
import type { StepEvent } from '../model/turn.ts';
import { replyLifeMs } from './reply-life.ts';

export interface EarlierAnswersDeps {
  readonly traitsAt: (address: Address) => ChannelTraits | undefined;
  /** Sends what waits for an address. Never rejects. */
  readonly send: (address: Address) => Promise<void>;
  readonly clock: Clock;
  /** The message that the turn answers, where that is to be seen. */
  readonly replyTo?: string;
}

/**
 * What a turn has answered whole before it went on with what was said meanwhile. A terminal and the page show all that a turn
 * says; where only what is sent is seen, it is sent as a reply of its own.
 */
export class EarlierAnswers {
  readonly #session: Session;
  readonly #deps: EarlierAnswersDeps;
  #isWaiting = false;

  constructor(session: Session, deps: EarlierAnswersDeps) {
    this.#session = session;
    this.#deps = deps;
  }

  /** In the transaction of the request with which the turn goes on. */
  async keep(tx: StoreTx, text: string): Promise<void> {
    const { traitsAt, clock, replyTo } = this.#deps;
    const { id: sessionId, address } = this.#session;
    if (!isOnlySentTo(traitsAt(address))) return;
    const reply = { kind: 'reply', text, ...(replyTo !== undefined && { replyTo }) } as const;
    await tx.outbox.enqueue({ sessionId, address, ...reply, notAfter: clock.now() + replyLifeMs });
    this.#isWaiting = true;
  }

  /** Before the event is shown: what was shown so far is what this reply completes. */
  sendBefore(event: StepEvent): void {
    if (!this.#isWaiting || event.type !== 'entry' || event.logged.entry.type !== 'step.asked') return;
    this.#isWaiting = false;
    void this.#deps.send(this.#session.address);
  }
}

function isOnlySentTo(traits: ChannelTraits | undefined): boolean {
  return traits !== undefined && traits.answers !== 'at-once' && traits.resend !== 'reads-store';
}
