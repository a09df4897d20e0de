import { createHash, hash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Message } from '../model/message.ts';

interface Digested {
  readonly messages: readonly Message[];
  /** What was read so far; copied where a digest is taken of it. */
  readonly state: Hash;
}

/** The digest of a conversation that grows: a request reads the messages that it adds, not again those of the last one. */
export class GrowingDigest {
  #last: Digested | undefined;

  of(messages: readonly Message[]): string {
    const last = this.#last;
    const isGrown = last !== undefined && beginsWith(messages, last.messages);
    const state = isGrown ? last.state : createHash('sha256');
    readInto(state, isGrown ? messages.slice(last.messages.length) : messages);
    this.#last = { messages, state };
    return state.copy().digest('base64url');
  }
}

/** The digest of the first so many messages; undefined where there are fewer. */
export function digestFirst(count: number, messages: readonly Message[]): string | undefined {
  if (count > messages.length) return undefined;
  const state = createHash('sha256');
  readInto(state, messages.slice(0, count));
  return state.digest('base64url');
}

/** Whether it is the very same messages, as far as the earlier ones go: a message never changes. */
export function beginsWith(messages: readonly Message[], earlier: readonly Message[]): boolean {
  return earlier.length <= messages.length && earlier.every((message, place) => message === messages[place]);
}

function readInto(state: Hash, messages: readonly Message[]): void {
  for (const message of messages) state.update(hash('sha256', JSON.stringify(message), 'base64url'));
}
