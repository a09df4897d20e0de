import type { TurnId } from '../base/ids.ts';
import type { OutboundFile } from '../model/channel.ts';

/**
 * Something that was said or done and is kept. Its id is the same whenever it is read. An `aside` is what the model said
 * before its reply, or in place of one; an `act` is a tool that was used, or a question, on one line; `undone` has no text
 * and says that the turn it names was taken back.
 */
export interface ChatItem {
  readonly id: string;
  readonly type: 'user' | 'reply' | 'aside' | 'act' | 'notice' | 'undone';
  /** The turn that it belongs to, where it belongs to one. */
  readonly turn?: TurnId;
  readonly at: number;
  readonly text: string;
  readonly files?: readonly ChatFile[];
}

/** A file that came with a message, and where it can be fetched. */
export interface ChatFile {
  readonly name: string;
  readonly kind: OutboundFile['kind'];
  readonly path: string;
}
