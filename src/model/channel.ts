import type { OutboxId, PersonId } from '../base/ids.ts';
import type { Part } from './message.ts';
import type { Address } from './session.ts';
import type { Verdict } from './turn.ts';

/** What makes a message one message, however often a platform delivers it. */
export interface InboundKey {
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly messageId: string;
  readonly revision: number;
}

/** Something that a person did on a channel. */
export type Inbound =
  | {
      readonly type: 'message';
      readonly key: InboundKey;
      readonly address: Address;
      readonly person: PersonId;
      readonly parts: readonly Part[];
      /** The folder that a new session at this address works in. */
      readonly workdir: string;
    }
  | {
      readonly type: 'answer';
      readonly address: Address;
      readonly person: PersonId;
      readonly digest: string;
      readonly verdict: Verdict;
    };

/** What a platform can do; channels differ in data, not in methods. */
export interface ChannelTraits {
  readonly maxLength: number;
  /** How a send that may or may not have arrived is settled: by the same key, by looking, or by a marked copy. */
  readonly resend: 'same-key' | 'look-up' | 'marked';
  /** Whether a person can be asked there and answer. */
  readonly asks: 'yes' | 'no';
  /** Whether watchers see the reply grow, so that `send` only has to complete it. */
  readonly streams: 'yes' | 'no';
}

export type OutboundKind = 'reply' | 'notice' | 'question';

export interface Outbound {
  readonly id: OutboxId;
  readonly address: Address;
  readonly kind: OutboundKind;
  readonly text: string;
  /** `repeat` marks a copy that the platform may already have shown. */
  readonly copy: 'first' | 'repeat';
  /** Of a question: what an answer must name. */
  readonly digest: string | undefined;
}

export type Receipt =
  | { readonly type: 'sent'; readonly platformId: string }
  | { readonly type: 'retry'; readonly afterMs: number; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };

export interface Channel {
  /** The platform of the addresses that this channel serves. */
  readonly name: string;
  readonly traits: ChannelTraits;
  /** Whether a message for this address can be sent from here: a terminal serves one chat, a bot serves all of its own. */
  serves(address: Address): boolean;
  receive(signal: AbortSignal): AsyncIterable<Inbound>;
  send(message: Outbound, signal: AbortSignal): Promise<Receipt>;
}

/** What the terminal gives its channel: lines and answers in, text out. */
export interface TerminalPort {
  readonly asks: 'yes' | 'no';
  read(signal: AbortSignal): AsyncIterable<TerminalInput>;
  show(message: Outbound): Promise<void>;
}

export type TerminalInput =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'answer'; readonly digest: string; readonly verdict: Verdict };
