import { hasImages, partsToText, textPart } from '../model/message.ts';
import type { Message } from '../model/message.ts';
import type { RuntimeName } from '../model/runtime.ts';

/**
 * Messages whose images a model did not take. From then on it reads the line that stands for each of them, and is shown
 * later images all the same: one picture that was too much is not the end of all.
 */
export class WithheldImages {
  // What is read in place of a message is made once, so that it stays the same message in every request.
  readonly #readInstead = new Map<RuntimeName, WeakMap<Message, Message>>();

  withhold(from: RuntimeName, messages: readonly Message[]): void {
    const instead = this.#readInstead.get(from) ?? new WeakMap<Message, Message>();
    this.#readInstead.set(from, instead);
    for (const message of messages) if (hasImages(message)) instead.set(message, mentionImages(message));
  }

  /** The messages as this model reads them. */
  readBy(runtime: RuntimeName, messages: readonly Message[]): readonly Message[] {
    const instead = this.#readInstead.get(runtime);
    return instead === undefined ? messages : messages.map((message) => instead.get(message) ?? message);
  }
}

function mentionImages(message: Message): Message {
  if (message.role !== 'user') return message;
  return {
    ...message,
    parts: message.parts.map((part) => (part.type === 'image' ? textPart(partsToText([part])) : part)),
  };
}
