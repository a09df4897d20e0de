import type { Message } from '../model/message.ts';

/** Messages as the servers of a vendor read them: what the models of others thought is not sent to it. */
export class OwnThoughts {
  // What is read in place of a message is made once, so that it stays the same message in every request.
  readonly #withoutThoughts = new WeakMap<Message, Message>();

  readBy(vendor: string, messages: readonly Message[]): readonly Message[] {
    const isForeign = (message: Message): boolean =>
      message.role === 'assistant' && message.reasoning !== undefined && message.reasoning.vendor !== vendor;
    if (!messages.some(isForeign)) return messages;
    return messages.map((message) => (isForeign(message) ? this.#leaveOut(message) : message));
  }

  #leaveOut(message: Message): Message {
    const known = this.#withoutThoughts.get(message);
    if (known !== undefined || message.role !== 'assistant') return known ?? message;
    const { reasoning: _foreign, ...rest } = message;
    this.#withoutThoughts.set(message, rest);
    return rest;
  }
}
