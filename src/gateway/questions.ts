import type { Clock } from '../base/clock.ts';
import { describeError, isAppError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { PersonId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Channel, InboundKey, Outbound } from '../model/channel.ts';
import type { AskedQuestion, QuestionEnd, Questions } from '../model/questions.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { findReplyAt } from './reply-target.ts';
import { sendAgain } from './send-again.ts';

export interface QuestionDeps {
  readonly store: Pick<Store, 'sessions' | 'turns' | 'transaction'>;
  readonly channelFor: (address: Address) => Channel | undefined;
  /** How long a person is waited for; read anew for each question. */
  readonly patienceMs: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Pending {
  readonly address: string;
  readonly question: AskedQuestion;
  readonly message: Outbound;
  readonly resolve: (end: QuestionEnd) => void;
  /** Aborts as soon as it is not asked any more. */
  readonly over: AbortSignal;
  /** A number that none of the choices has, as it was said: said once more, it is meant as it is. */
  doubted: string | undefined;
}

interface SaidText {
  readonly text: string;
  readonly key: InboundKey;
}

/** What a person said to a question: words, or a press of a button that names it. */
export interface GivenAnswer {
  readonly address: Address;
  readonly person: PersonId;
  readonly said: SaidText | { readonly choice: number; readonly digest: string };
}

export type Answering =
  | { readonly type: 'taken' | 'duplicate' | 'nothing-asked' }
  /** A number that may be a slip: there are only so many choices. The question stays open. */
  | { readonly type: 'no-such-choice'; readonly choices: number };

/**
 * Questions of the model that wait for a person. The first message or press at their address answers the oldest; it is in
 * the log before anyone goes on, so that a crash behind it loses nothing, and a crash before it asks again.
 */
export class PendingQuestions implements Questions {
  readonly #deps: QuestionDeps;
  readonly #pending = new Set<Pending>();

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
  }

  async ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionEnd> {
    const { store, channelFor, clock, patienceMs } = this.#deps;
    const session = await store.sessions.get(question.turn.sessionId);
    const channel = session && channelFor(session.address);
    if (session === undefined || channel?.traits.asks !== 'yes') return { type: 'nobody' };
    const reply = await findReplyAt(session.address, question.turn, store.turns);
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<QuestionEnd>();
    const message = { ...this.#word(question, session.address), ...reply };
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    const asked = { question, message, resolve, over, doubted: undefined };
    const pending: Pending = { address: addressKey(session.address), ...asked };
    this.#pending.add(pending);
    const shown = this.#show(message, channel, over);
    const late = clock.sleep(patienceMs(), over);
    let ending = 'No longer asked.';
    try {
      const end = await Promise.race([promise, shown.then(() => promise), late.then(() => silence)]);
      ending = describeEnd(end);
      return end;
    } finally {
      this.#pending.delete(pending);
      ended.abort();
      late.catch(() => undefined);
      void shown.then(
        // Asked for anew: another screen may have come and shown it too.
        (platformId) => (channelFor(session.address) ?? channel).conclude(message, platformId, ending),
        () => undefined, // What was never shown need not be taken back.
      );
    }
  }

  /** Takes what someone said as the answer to the oldest question there, if one is open. */
  async answer({ address, person, said }: GivenAnswer): Promise<Answering> {
    const pending = this.#find(address, said);
    if (pending === undefined) return { type: 'nothing-asked' };
    const doubtful = findDoubtful(said, pending);
    if (doubtful !== undefined) return await this.#doubt(doubtful, pending);
    // At once, so that no second message answers the same question.
    this.#pending.delete(pending);
    const text = readAnswer(said, pending.question.choices);
    const { turn, callId } = pending.question;
    try {
      const isNew = await this.#deps.store.transaction(async (tx) => {
        if ('key' in said && (await tx.inbox.note(said.key)) === 'duplicate') return false;
        await tx.turns.append(turn, [{ type: 'question.answered', callId, by: person, text }]);
        return true;
      });
      if (isNew) pending.resolve({ type: 'answered', text });
      else this.#pending.add(pending);
      return { type: isNew ? 'taken' : 'duplicate' };
    } catch (thrown) {
      if (isAppError(thrown, 'fenced')) return { type: 'nothing-asked' };
      this.#pending.add(pending);
      throw thrown;
    }
  }

  /** Noted as dealt with, so that the same message, delivered twice, is not the number said twice. */
  async #doubt({ text, key }: SaidText, pending: Pending): Promise<Answering> {
    pending.doubted = text.trim();
    const noted = await this.#deps.store.transaction((tx) => tx.inbox.note(key));
    if (noted === 'duplicate') return { type: 'duplicate' };
    const channel = this.#deps.channelFor(pending.message.address);
    // A terminal took the line for an answer, and prompts for none any more. In a chat the question still stands there.
    if (channel?.traits.answers === 'at-once') await this.#show(pending.message, channel, pending.over);
    return { type: 'no-such-choice', choices: pending.question.choices.length };
  }

  /** Whoever is asked does not want to say, or cannot. False where nothing is asked that this is about. */
  decline(address: Address, digest: string): boolean {
    const pending = this.#find(address, { digest });
    pending?.resolve({ type: 'nobody' });
    return pending !== undefined;
  }

  /** Shows what is asked at an address on one more channel there: whoever does not see it would answer it unawares. */
  async askAgain(address: Address, channel: Channel, signal: AbortSignal): Promise<void> {
    if (channel.traits.asks !== 'yes') return;
    for (const { message } of this.#at(address)) await this.#show(message, channel, signal);
  }

  /** Answers for nobody: there is no one left at the address who could. */
  abandon(address: Address): void {
    for (const { resolve } of this.#at(address)) resolve({ type: 'nobody' });
  }

  /** Whether a question is open in a chat, whoever it is for there. */
  isAskedIn({ platform, account, chat }: Address, digest: string): boolean {
    return [...this.#pending].some(({ message: { address, digest: asked } }) => {
      const isThere = address.platform === platform && address.account === account && address.chat === chat;
      return isThere && asked === digest;
    });
  }

  /** The oldest question that is open at an address. */
  oldestAt(address: Address): Outbound | undefined {
    return this.#at(address)[0]?.message;
  }

  #at(address: Address): readonly Pending[] {
    return [...this.#pending].filter((pending) => pending.address === addressKey(address));
  }

  #find(address: Address, said: GivenAnswer['said'] | { readonly digest: string }): Pending | undefined {
    const open = this.#at(address);
    return 'digest' in said ? open.find(({ question }) => question.digest === said.digest) : open[0];
  }

  async #show(message: Outbound, channel: Channel, signal: AbortSignal): Promise<string> {
    // A chat that is flooded is asked when it can be.
    const receipt = await sendAgain(message, channel, { clock: this.#deps.clock, signal });
    if (receipt.type === 'sent') return receipt.platformId;
    const reason = 'reason' in receipt ? receipt.reason : '';
    this.#deps.log.write('warn', 'a question could not be shown', { reason: describeError(reason) });
    throw new Error(`the question could not be shown: ${reason}`);
  }

  #word({ text, choices, digest }: AskedQuestion, address: Address): Outbound {
    const id = newId('outbox', this.#deps.clock.now());
    const listed = choices.map((choice, index) => `${index + 1}. ${choice}`);
    const how = choices.length === 0 ? [] : ['Answer with a number, or in your own words.'];
    const words = [text, ...listed, ...how].join('\n');
    return { id, address, kind: 'question', text: words, copy: 'first', digest, about: 'choice', choices };
  }
}

const silence: QuestionEnd = { type: 'silence' };

/** A number means the choice that has it; all other words are meant as they are. Pure. */
function readAnswer(said: GivenAnswer['said'], choices: readonly string[]): string {
  if ('choice' in said) return choices[said.choice] ?? String(said.choice + 1);
  const text = said.text.trim();
  return (/^\d$/.test(text) ? choices[Number(text) - 1] : undefined) ?? text;
}

/** What was said, where it is a bare number that no choice has, nor is, and that was not said before. Pure. */
function findDoubtful(said: GivenAnswer['said'], pending: Pending): SaidText | undefined {
  const { choices } = pending.question;
  if ('choice' in said || choices.length === 0) return undefined;
  const text = said.text.trim();
  if (!/^\d{1,2}$/.test(text) || text === pending.doubted || choices.includes(text)) return undefined;
  return choices[Number(text) - 1] === undefined ? said : undefined;
}

function describeEnd(end: QuestionEnd): string {
  switch (end.type) {
    case 'answered':
      return `Answered: ${end.text}`;
    case 'nobody':
      return 'Not answered.';
    case 'silence':
      return 'Nobody answered in time.';
  }
}
