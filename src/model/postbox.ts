import type { PersonId, SessionId } from '../base/ids.ts';
import type { OutboundFile } from './channel.ts';
import type { Address } from './session.ts';

/** A chat that can be written to. */
export interface Recipient {
  /** What it is called in a call: `telegram:42`, with the topic behind it where it has one. */
  readonly name: string;
  readonly address: Address;
}

export interface Letter {
  /** A letter with a key that was posted before is not posted again. */
  readonly key: string;
  readonly from: SessionId;
  readonly to: Address;
  readonly text: string;
  readonly files: readonly OutboundFile[];
}

/** Sends messages that are no answers. */
export interface Postbox {
  /** The chat that is meant, by its name, as `home`, or left out for the session's own; undefined where there is none. */
  find(to: string | undefined, from: SessionId): Promise<Recipient | undefined>;
  /** The chats that a person may write to from a session, its own first. */
  reach(from: SessionId, person: PersonId): Promise<readonly Recipient[]>;
  /** Resolves when the letter cannot be lost any more. */
  post(letter: Letter): Promise<'posted' | 'posted-before'>;
}
