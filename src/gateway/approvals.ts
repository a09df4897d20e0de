import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { PersonId, SessionId } from '../base/ids.ts';
import type { ApprovalAnswer, ApprovalRequest, Approvals } from '../model/approvals.ts';
import type { Channel, Inbound, Outbound } from '../model/channel.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { Sessions } from '../model/store.ts';
import type { Verdict } from '../model/turn.ts';

export interface ApprovalDeps {
  readonly sessions: Pick<Sessions, 'get'>;
  /** The channel that a person can be asked on, if there is one for the address. */
  readonly channelFor: (address: Address) => Channel | undefined;
  /** Who said that calls run without a question in a session, if anyone did. */
  readonly yoloBy: (sessionId: SessionId) => PersonId | undefined;
  readonly clock: Clock;
}

interface Pending {
  readonly address: string;
  readonly question: Outbound;
  readonly resolve: (answer: ApprovalAnswer) => void;
}

/** A question that was answered in words, and how many are still open there. */
export interface AnsweredQuestion {
  readonly question: string;
  readonly left: number;
}

const nobody: ApprovalAnswer = { verdict: 'denied', by: null };

type Answer = Extract<Inbound, { readonly type: 'answer' }>;

/** Questions that wait for a person. An answer counts once, for the exact act whose digest it names, from where it was asked. */
export class PendingApprovals implements Approvals {
  readonly #deps: ApprovalDeps;
  readonly #pending = new Set<Pending>();

  constructor(deps: ApprovalDeps) {
    this.#deps = deps;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const session = await this.#deps.sessions.get(request.turn.sessionId);
    if (session === undefined) return nobody;
    // A limit of money is not about a call, and stays a question.
    const yoloBy = request.call && this.#deps.yoloBy(session.id);
    if (yoloBy !== undefined) return { verdict: 'approved', by: yoloBy, rule: 'yolo' };
    const channel = this.#deps.channelFor(session.address);
    if (channel?.traits.asks !== 'yes') return nobody;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
    const question = this.#word(request, session.address);
    const pending: Pending = { address: addressKey(session.address), question, resolve };
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#pending.add(pending);
    const asked = showQuestion(question, channel, signal);
    let ending = 'No longer asked.';
    try {
      // Both at once: a stop does not wait for a channel that is slow to show the question.
      const [answer] = await Promise.all([promise, asked]);
      ending = answer.verdict === 'approved' ? 'Allowed.' : 'Denied.';
      return answer;
    } finally {
      this.#pending.delete(pending);
      signal.removeEventListener('abort', giveUp);
      void asked.then(
        // Asked for anew: another screen may have come and shown it too.
        (platformId) => (this.#deps.channelFor(session.address) ?? channel).conclude(question, platformId, ending),
        () => undefined, // What was never shown need not be taken back.
      );
    }
  }

  /** False where nothing is asked there that the answer fits. */
  answer(inbound: Answer): boolean {
    const address = addressKey(inbound.address);
    for (const pending of this.#pending) {
      if (pending.address !== address || pending.question.digest !== inbound.digest) continue;
      this.#pending.delete(pending);
      pending.resolve({ verdict: inbound.verdict, by: inbound.person });
      return true;
    }
    return false;
  }

  /** Answers the oldest question that is open at an address; undefined where there is none. */
  answerOldest(address: Address, verdict: Verdict, by: PersonId): AnsweredQuestion | undefined {
    const open = [...this.#pending].filter((pending) => pending.address === addressKey(address));
    const [oldest, ...others] = open;
    if (oldest === undefined) return undefined;
    this.#pending.delete(oldest);
    oldest.resolve({ verdict, by });
    return { question: oldest.question.text, left: others.length };
  }

  /** Shows what is asked at an address on one more channel there. Whoever answers first has answered. */
  async askAgain(address: Address, channel: Channel, signal: AbortSignal): Promise<void> {
    if (channel.traits.asks !== 'yes') return;
    const key = addressKey(address);
    const open = [...this.#pending].filter((pending) => pending.address === key);
    for (const { question } of open) await showQuestion(question, channel, signal);
  }

  /** Answers for nobody: there is no one left at the address who could. */
  abandon(address: Address): void {
    const key = addressKey(address);
    for (const pending of this.#pending) {
      if (pending.address !== key) continue;
      this.#pending.delete(pending);
      pending.resolve(nobody);
    }
  }

  #word({ question: text, digest, call }: ApprovalRequest, address: Address): Outbound {
    const id = newId('outbox', this.#deps.clock.now());
    const about = call === undefined ? 'limit' : 'act';
    return { id, address, kind: 'question', text, copy: 'first', digest, about };
  }
}

/** Resolves with the id that the question has there. */
async function showQuestion(question: Outbound, channel: Channel, signal: AbortSignal): Promise<string> {
  const receipt = await channel.send(question, signal);
  if (receipt.type === 'sent') return receipt.platformId;
  throw new Error('reason' in receipt ? receipt.reason : 'the question could not be shown');
}
