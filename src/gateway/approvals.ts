import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { PersonId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { ApprovalAnswer, ApprovalRequest, Approvals } from '../model/approvals.ts';
import type { Channel, Inbound, Outbound } from '../model/channel.ts';
import { addressKey } from '../model/session.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { Standing } from '../model/tool.ts';
import type { ConsentScope, TurnRef, Verdict } from '../model/turn.ts';
import { isOwnConversation } from './access.ts';
import { findReplyAt } from './reply-target.ts';
import { sendAgain } from './send-again.ts';
import type { SendAgainOptions } from './send-again.ts';
import { whoAdmitted } from './shut-out.ts';
import type { StandingConsents } from './standing-consents.ts';

export interface ApprovalDeps {
  readonly store: Pick<Store, 'sessions' | 'turns'>;
  /** The channel that a person can be asked on, if there is one for the address. */
  readonly channelFor: (address: Address) => Channel | undefined;
  /** Who said that calls run without a question in a session, if anyone did who still may. */
  readonly yoloBy: (session: Session) => Promise<PersonId | undefined>;
  readonly consents: Pick<StandingConsents, 'find' | 'allowInSession' | 'allowAlways'>;
  /** Whether someone may allow things for good, in every session, and whatever others asked for. */
  readonly isOwner: (who: { readonly address: Address; readonly person: PersonId }) => Promise<boolean>;
  /** How long a question waits for its answer. */
  readonly timeoutMs: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a person said to a question. */
interface Said {
  readonly verdict: Verdict;
  readonly by: PersonId | null;
  readonly scope: ConsentScope;
  readonly rule?: 'timeout' | 'yes';
}

type PersonSaid = Said & { readonly by: PersonId };

interface Pending {
  readonly address: string;
  readonly turn: TurnRef;
  readonly question: Outbound;
  readonly resolve: (said: Said) => void;
}

interface Asking {
  readonly session: Session;
  readonly channel: Channel;
  readonly question: Outbound;
}

/** A question that was answered in words, and how many are still open there. */
export interface AnsweredQuestion {
  readonly question: string;
  readonly left: number;
  /** How far the answer can reach at most. */
  readonly atMost: ConsentScope;
}

const nobody = { verdict: 'denied', by: null, scope: 'once' } as const;

type Answer = Extract<Inbound, { readonly type: 'answer' }>;

/** Questions that wait for a person. An answer counts once, for the exact act whose digest it names, from where it was asked. */
export class PendingApprovals implements Approvals {
  readonly #deps: ApprovalDeps;
  readonly #pending = new Set<Pending>();

  constructor(deps: ApprovalDeps) {
    this.#deps = deps;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const session = await this.#deps.store.sessions.get(request.turn.sessionId);
    if (session === undefined) return { verdict: 'denied', by: null };
    const given = await this.#findGiven(request, session);
    if (given !== undefined) return given;
    const channel = this.#deps.channelFor(session.address);
    if (channel?.traits.asks !== 'yes') return { verdict: 'denied', by: null };
    const reply = await findReplyAt(session.address, request.turn, this.#deps.store.turns);
    signal.throwIfAborted();
    const question = { ...this.#word(request, session.address), ...reply };
    return await this.#askPerson(request, { session, channel, question }, signal);
  }

  /** What was allowed before, for more than one act. A limit of money is not about a call, and stays a question. */
  async #findGiven({ call, standing }: ApprovalRequest, session: Session): Promise<ApprovalAnswer | undefined> {
    if (call === undefined) return undefined;
    const yoloBy = await this.#deps.yoloBy(session);
    if (yoloBy !== undefined) return { verdict: 'approved', by: yoloBy, rule: 'yolo' };
    const given = standing && this.#deps.consents.find(session.id, standing);
    if (given?.rule !== 'session' || given.by === null) return given;
    // Where others share the session, an owner said it, who may be none any more.
    return (await this.#mayAllowFurther(session.address, given.by)) ? given : undefined;
  }

  async #askPerson(
    request: ApprovalRequest,
    { session, channel, question }: Asking,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<Said>();
    const pending: Pending = { address: addressKey(session.address), turn: request.turn, question, resolve };
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#pending.add(pending);
    const over = new AbortController();
    const { clock } = this.#deps;
    const waiting = AbortSignal.any([signal, over.signal]);
    const asked = showQuestion(question, channel, { clock, signal, waiting });
    using _waiting = this.#endInTime(resolve);
    let ending = 'No longer asked.';
    try {
      // Both at once: neither a stop nor an answer in words waits for a channel that is slow to show the question.
      const said = await Promise.race([promise, asked.then(() => promise)]);
      const answer = await this.#keep(said, request.standing, session);
      ending = describeEnding(answer);
      return answer;
    } finally {
      this.#pending.delete(pending);
      signal.removeEventListener('abort', giveUp);
      over.abort('over');
      void asked.then(
        // Asked for anew: another screen may have come and shown it too.
        (platformId) => (this.#deps.channelFor(session.address) ?? channel).conclude(question, platformId, ending),
        () => undefined, // What was never shown need not be taken back.
      );
    }
  }

  /** Silence is a no. */
  #endInTime(resolve: (said: Said) => void): Disposable {
    const waiting = new AbortController();
    void this.#deps.clock.sleep(this.#deps.timeoutMs(), waiting.signal).then(
      () => resolve({ ...nobody, rule: 'timeout' }),
      () => undefined, // It was answered, or is not asked any more.
    );
    return { [Symbol.dispose]: () => waiting.abort() };
  }

  /** Keeps a yes that reaches further than the one act. Where it may not or cannot be kept, it reaches less far. */
  async #keep(
    { verdict, by, scope, rule }: Said,
    standing: Standing | undefined,
    { id, address }: Session,
  ): Promise<ApprovalAnswer> {
    const answer: ApprovalAnswer = { verdict, by, ...(rule && { rule }) };
    if (verdict === 'denied' || by === null || scope === 'once' || standing === undefined) return answer;
    if (!(await this.#mayAllowFurther(address, by))) return answer;
    const { shown: covers } = standing;
    const isForGood = scope === 'always' && standing.atMost === 'always';
    if (isForGood && (await this.#allowAlways(standing, address, by))) return { ...answer, scope: 'always', covers };
    this.#deps.consents.allowInSession(id, standing, by);
    return { ...answer, scope: 'session', covers };
  }

  async #allowAlways(standing: Standing, address: Address, person: PersonId): Promise<boolean> {
    try {
      if (!(await this.#deps.isOwner({ address, person }))) return false;
      await this.#deps.consents.allowAlways(standing, person);
      return true;
    } catch (thrown) {
      this.#deps.log.write('warn', 'what was allowed for good could not be kept', { error: describeError(thrown) });
      return false;
    }
  }

  /** False where nothing is asked there that the answer fits, or a yes is not theirs to say. */
  async answer({ address, person: by, digest, verdict, scope = 'once', rule }: Answer): Promise<boolean> {
    const pending = this.#openAt(address).find(({ question }) => question.digest === digest);
    if (pending === undefined) return false;
    const said = { verdict, by, scope, ...(rule && { rule }) };
    return (await this.#settle(pending, address, said)) === 'taken';
  }

  /** Answers the oldest question that is open at an address, unless a yes is not theirs to say; undefined where there is none. */
  async answerOldest(address: Address, said: PersonSaid): Promise<AnsweredQuestion | 'not-theirs' | undefined> {
    const [oldest] = this.#openAt(address);
    if (oldest === undefined) return undefined;
    const settling = await this.#settle(oldest, address, said);
    if (settling === 'not-theirs') return settling;
    if (settling === 'too-late') return await this.answerOldest(address, said);
    const { text, offer } = oldest.question;
    return { question: text, left: this.#openAt(address).length, atMost: offer?.atMost ?? 'once' };
  }

  /** Whether a question is open in a chat, whoever it is for there. */
  isAskedIn({ platform, account, chat }: Address, digest: string): boolean {
    return [...this.#pending].some(({ question: { address, digest: asked } }) => {
      const isThere = address.platform === platform && address.account === account && address.chat === chat;
      return isThere && asked === digest;
    });
  }

  /** The oldest question that is open at an address. */
  oldestAt(address: Address): Outbound | undefined {
    return this.#openAt(address)[0]?.question;
  }

  async #settle(pending: Pending, address: Address, said: PersonSaid): Promise<'taken' | 'not-theirs' | 'too-late'> {
    if (said.verdict === 'approved' && !(await this.#mayAllow(pending, address, said.by))) return 'not-theirs';
    // Someone else may have answered in the meantime.
    if (!this.#pending.delete(pending)) return 'too-late';
    pending.resolve(said);
    return 'taken';
  }

  /** Where several people share a conversation, a yes is for an owner to say, or for whoever began the turn. */
  async #mayAllow({ turn }: Pending, address: Address, person: PersonId): Promise<boolean> {
    return (await this.#mayAllowFurther(address, person)) || (await whoAdmitted(turn, this.#deps.store)) === person;
  }

  async #mayAllowFurther(address: Address, person: PersonId): Promise<boolean> {
    return isOwnConversation({ address, person }) || (await this.#deps.isOwner({ address, person }));
  }

  #openAt(address: Address): readonly Pending[] {
    const key = addressKey(address);
    return [...this.#pending].filter((pending) => pending.address === key);
  }

  /** Shows what is asked at an address on one more channel there. Whoever answers first has answered. */
  async askAgain(address: Address, channel: Channel, signal: AbortSignal): Promise<void> {
    if (channel.traits.asks !== 'yes') return;
    const { clock } = this.#deps;
    for (const { question } of this.#openAt(address)) await showQuestion(question, channel, { clock, signal });
  }

  /** Answers for nobody: there is no one left at the address who could. */
  abandon(address: Address): void {
    for (const pending of this.#openAt(address)) {
      this.#pending.delete(pending);
      pending.resolve(nobody);
    }
  }

  #word({ question, digest, call, standing }: ApprovalRequest, address: Address): Outbound {
    const id = newId('outbox', this.#deps.clock.now());
    const about = call === undefined ? 'limit' : 'act';
    const base = { id, address, kind: 'question', copy: 'first', digest, about } as const;
    if (standing === undefined) return { ...base, text: question };
    const { atMost, label, shown } = standing;
    const reach = atMost === 'always' ? 'Session and Always are for' : 'Session is for';
    return { ...base, text: `${question}\n${reach}: ${shown}`, offer: { atMost, label } };
  }
}

/** Resolves with the id that the question has there. A chat that is flooded is no refusal: it is asked when it can be. */
async function showQuestion(question: Outbound, channel: Channel, options: SendAgainOptions): Promise<string> {
  const receipt = await sendAgain(question, channel, options);
  if (receipt.type === 'sent') return receipt.platformId;
  throw new Error('reason' in receipt ? receipt.reason : 'the question could not be shown');
}

function describeEnding({ verdict, rule, scope }: ApprovalAnswer): string {
  if (rule === 'timeout') return 'Nobody answered in time: denied.';
  if (verdict === 'denied') return 'Denied.';
  if (scope === undefined) return 'Allowed.';
  return scope === 'always' ? 'Allowed always, in everybody’s sessions.' : 'Allowed for this session.';
}
