const remembered = 1000;

/** The updates that were dealt with last. One that is delivered twice in a row is not handed on twice. */
export class HandledUpdates {
  readonly #ids = new Set<number>();

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= remembered) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
