/**
 * Values pushed from one side and iterated from the other. Nothing pushed before `close` is lost; what is pushed after
 * it is dropped. One reader at a time.
 */
export class AsyncQueue<Value> implements AsyncIterable<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  push(value: Value): void {
    if (this.#isClosed) return;
    this.#values.push(value);
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift() as Value;
      if (this.#isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }
}
