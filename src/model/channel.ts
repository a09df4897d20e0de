import type { OutboxId, PersonId } from '../base/ids.ts';
import type { TellState } from './channel-state.ts';
import type { GivenImage } from './image.ts';
import type { Part } from './message.ts';
import type { Address } from './session.ts';
import type { ConsentScope, Verdict } from './turn.ts';

/** What makes a message one message, however often a platform delivers it. */
export interface InboundKey {
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly messageId: string;
  readonly revision: number;
}

/** A message that belongs to another one. Where it was taken in before, the rest is taken in without it. */
export interface AlbumPiece {
  readonly key: InboundKey;
  readonly parts: readonly Part[];
  readonly images?: readonly GivenImage[];
}

/** Something that a person did on a channel. */
export type Inbound =
  | {
      readonly type: 'message';
      readonly key: InboundKey;
      readonly address: Address;
      readonly person: PersonId;
      /** What the platform calls the person: short, on one line, to be shown. It decides nothing, since people choose it. */
      readonly name?: string;
      readonly parts: readonly Part[];
      /** Pictures that come with it. They become parts once they are kept for the session. */
      readonly images?: readonly GivenImage[];
      /** What was sent together with it, and came as messages that have keys of their own. */
      readonly album?: readonly AlbumPiece[];
      /** `none` where it is all words, whatever it begins with, as in something that was pasted. */
      readonly commands?: 'none';
      /** Set where its answer is shown as a reply to it: always, or where the answer to something else may stand between them. */
      readonly answeredBy?: 'reply' | 'reply-if-it-waited';
      /** The folder that a new session at this address works in. */
      readonly workdir: string;
    }
  | {
      readonly type: 'answer';
      readonly address: Address;
      readonly person: PersonId;
      readonly digest: string;
      readonly verdict: Verdict;
      /** How far a yes reaches; left out: this once. */
      readonly scope?: ConsentScope;
      /** Set where no person said it, but the `--yes` of a command line. */
      readonly rule?: 'yes';
      /** What the platform calls the press of the button that it was, where whoever pressed it waits for a word. */
      readonly press?: string;
    }
  | {
      /** A press of one of the buttons under a question that words answer, too. */
      readonly type: 'choice';
      readonly address: Address;
      readonly person: PersonId;
      readonly digest: string;
      /** Counted from 0. */
      readonly choice: number;
      readonly press?: string;
    };

/** What a platform can do; channels differ in data, not in methods. */
export interface ChannelTraits {
  readonly maxLength: number;
  /**
   * How a send that may or may not have arrived is settled: by the same key, by looking, or by a marked copy. `reads-store` is
   * a channel whose reader finds every reply in the store: there it has arrived as soon as it is written down.
   */
  readonly resend: 'same-key' | 'look-up' | 'marked' | 'reads-store';
  /** Whether a person can be asked there and answer. */
  readonly asks: 'yes' | 'no';
  /** Whether watchers see the reply grow, so that `send` only has to complete it. */
  readonly streams: 'yes' | 'no';
  /**
   * Set where whoever gave a command sits in front of it: what it is answered is shown at once, and not kept for one who
   * has left. Everywhere else an answer waits in the outbox until it could be sent.
   */
  readonly answers?: 'at-once';
}

/** A `listing` is a notice in even columns: those whose letters are not of one width show it in another way. */
export type OutboundKind = 'reply' | 'notice' | 'listing' | 'question';

/** What stands above a question whether an act may be done. */
export const consentHeading = 'This needs your consent:';

export interface Outbound {
  readonly id: OutboxId;
  readonly address: Address;
  readonly kind: OutboundKind;
  readonly text: string;
  /** `repeat` marks a copy that the platform may already have shown. */
  readonly copy: 'first' | 'repeat';
  /** Of a question: what an answer must name. */
  readonly digest: string | undefined;
  /** Of a question: whether it is about an act, about going on past a limit of money, or one that words answer. */
  readonly about?: 'act' | 'limit' | 'choice';
  /** Of a question that words answer: what may be chosen. The text lists it, too. */
  readonly choices?: readonly string[];
  /** Of a question: how far a yes may reach, where it may reach further than this once. */
  readonly offer?: ConsentOffer;
  /** The id of the message at the address that this answers, where that is to be seen. A platform that cannot show it leaves it out. */
  readonly replyTo?: string;
  /** Sent behind the text, in this order. Nothing is ever sent because a text happens to name it. */
  readonly files?: readonly OutboundFile[];
}

/** What can be agreed to beyond one act. Everything it covers is in the text of the question. */
export interface ConsentOffer {
  readonly atMost: 'session' | 'always';
  /** What it is about, for a button: `git push …`. */
  readonly label: string;
}

/** A file that goes along with a message. It is read when it is sent. */
export interface OutboundFile {
  readonly path: string;
  /** What it is called there. */
  readonly name: string;
  /** A picture is shown in the chat where the platform can do that, and is a file everywhere else. */
  readonly kind: 'picture' | 'file';
}

export type Receipt =
  | { readonly type: 'sent'; readonly platformId: string }
  | {
      readonly type: 'retry';
      readonly afterMs: number;
      readonly reason: string;
      /** Set where some of it is or may be there. The channel goes on where it was; another run can only send it anew, marked. */
      readonly seen?: 'maybe';
    }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };

/** What may be watched of a turn while it runs. None of it is kept, and nothing relies on it being seen. */
export type Preview =
  | {
      readonly type: 'working';
      readonly address: Address;
      /** The reply so far; empty while there is none. */
      readonly text: string;
      /** What is being done or waited for, in one line; may be empty. */
      readonly status: string;
      /** As of the reply that completes it: what was shown cannot become a reply later. */
      readonly replyTo?: string;
    }
  /**
   * The turn is over. A reply that was sent has completed the preview by then; one that is held up, or that the turn comes to
   * when it goes on after a restart, comes by itself later, and so nothing of it may stay. Without a reply, what was shown
   * stands as it is.
   */
  | { readonly type: 'over'; readonly address: Address; readonly reply: 'sent-or-to-come' | 'none' };

export interface Channel {
  /** The platform of the addresses that this channel serves. */
  readonly name: string;
  readonly traits: ChannelTraits;
  /** Whether a message for this address can be sent from here: a terminal serves one chat, a bot serves all of its own. */
  serves(address: Address): boolean;
  /** Where a person is written to alone; left out, or undefined: nowhere that is known. */
  chatWith?(person: PersonId): Address | undefined;
  /** One that has to reach a platform first tells how it stands with that; the others serve as soon as they are listened to. */
  receive(signal: AbortSignal, tell?: TellState): AsyncIterable<Inbound>;
  send(message: Outbound, signal: AbortSignal): Promise<Receipt>;
  /**
   * Shows a running turn, as often as the platform allows; the next reply to the address completes what is shown. Best
   * effort: it never rejects, and nobody needs to wait for it.
   */
  preview(preview: Preview, signal: AbortSignal): Promise<void>;
  /** Says how a question ended that was sent under the id, and takes away its buttons. Best effort: it never rejects. */
  conclude(question: Outbound, platformId: string, ending: string): Promise<void>;
  /** Ends the press of a button, with a word to whoever pressed it where it came to nothing. Best effort: it never rejects. */
  endPress?(press: string, words: string | undefined, signal: AbortSignal): Promise<void>;
}

/** The platform of the chats in the browser. */
export const webchatPlatform = 'webchat';

/** What the page in the browser gives its channel: what is done there, and where to show what happens. */
export interface WebchatPort {
  /** What needs no answer of its own; a message is taken in by the request that brings it. */
  read(signal: AbortSignal): AsyncIterable<Inbound>;
  /** Resolves once the page will find the message, whether or not one is open now. */
  show(message: Outbound): Promise<void>;
  preview(preview: Preview): void;
  conclude(question: Outbound, ending: string): void;
}

/** What the terminal gives its channel: lines and answers in, text out. */
export interface TerminalPort {
  readonly asks: 'yes' | 'no';
  read(signal: AbortSignal): AsyncIterable<TerminalInput>;
  show(message: Outbound): Promise<void>;
  /** How a question ended that was shown here, and may have been answered elsewhere. */
  conclude(question: Outbound, ending: string): void;
}

export type TerminalInput =
  | {
      readonly type: 'line';
      readonly text: string;
      readonly images?: readonly GivenImage[];
      readonly commands?: 'none';
    }
  | {
      readonly type: 'answer';
      readonly digest: string;
      readonly verdict: Verdict;
      readonly scope?: ConsentScope;
      readonly rule?: 'yes';
    };
