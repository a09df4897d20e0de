import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Channel, Outbound, OutboundKind } from '../model/channel.ts';
import type { Address } from '../model/session.ts';
import type { NewSession, Store } from '../model/store.ts';
import { sendAgain } from './send-again.ts';

export interface TellingsDeps {
  readonly store: Pick<Store, 'sessions' | 'outbox'>;
  readonly channelFor: (address: Address) => Channel | undefined;
  /** Sends what waits in the outbox for an address. */
  readonly deliver: (address: Address) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** How an answer is sent. */
export interface AnswerManner extends Pick<Outbound, 'replyTo'> {
  readonly kind?: Extract<OutboundKind, 'notice' | 'listing'> | undefined;
}

const answerLifeMs = 60 * 60 * 1000;

/** What people are told outside of a turn. Nothing of it is lost without a line in the log. */
export class Tellings implements AsyncDisposable {
  readonly #deps: TellingsDeps;
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: TellingsDeps) {
    this.#deps = deps;
  }

  /**
   * Answers a message of someone who has access. Resolves when the answer cannot be lost any more; a chat that is slow to
   * show it is not waited for.
   */
  async answer(where: NewSession, text: string, manner: AnswerManner = {}): Promise<void> {
    const { channelFor, deliver } = this.#deps;
    const { address } = where;
    const isKept = channelFor(address)?.traits.answers !== 'at-once' && (await this.#keep(where, text, manner));
    if (isKept) this.#begin(deliver(address));
    else this.tell(address, text);
  }

  /** Shows a line that is not worth keeping, or that cannot be kept: again after a while, where the chat cannot take it. */
  tell(address: Address, text: string): void {
    this.#begin(this.#show(address, text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** A stop is answered on a full disk, too: what cannot be kept is shown at once. */
  async #keep(where: NewSession, text: string, { kind = 'notice', replyTo }: AnswerManner): Promise<boolean> {
    const { store, clock } = this.#deps;
    try {
      const { id: sessionId } = await store.sessions.at(where);
      const notAfter = clock.now() + answerLifeMs;
      const reply = replyTo === undefined ? {} : { replyTo };
      await store.outbox.enqueue({ sessionId, address: where.address, kind, text, ...reply, notAfter });
      return true;
    } catch (thrown) {
      this.#note('an answer could not be kept', describeError(thrown));
      return false;
    }
  }

  #begin(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #show(address: Address, text: string): Promise<void> {
    const { channelFor, clock, signal } = this.#deps;
    const id = newId('outbox', clock.now());
    const message: Outbound = { id, address, kind: 'notice', text, copy: 'first', digest: undefined };
    try {
      const channel = channelFor(address);
      const receipt = channel && (await sendAgain(message, channel, { clock, signal }));
      if (receipt !== undefined && receipt.type !== 'sent') this.#note('a line was not shown', receipt.reason);
    } catch (thrown) {
      if (!signal.aborted) this.#note('a line was not shown', describeError(thrown));
    }
  }

  #note(what: string, reason: string): void {
    this.#deps.log.write('warn', what, { reason });
  }
}
