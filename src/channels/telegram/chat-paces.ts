/** When each chat may be written to again. Only those that still have to wait are kept, so that it never grows with the chats. */
export class ChatPaces {
  readonly #freeAt = new Map<string, number>();

  /** How many chats have to wait, as far as is known. */
  get size(): number {
    return this.#freeAt.size;
  }

  /** How long a chat still has to wait; zero or less where it may be written to. */
  waitMs(chat: string, now: number): number {
    return (this.#freeAt.get(chat) ?? now) - now;
  }

  holdUp(chat: string, forMs: number, now: number): void {
    for (const [other, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(other);
    this.#freeAt.set(chat, now + forMs);
  }
}
