/** Text that arrives in pieces. A character that was split between two pieces is shown with the second. */
export class GrowingText {
  #whole = '';
  #heldBack = '';

  /** Adds a piece and returns what can be shown now. */
  add(piece: string): string {
    if (piece === '') return '';
    this.#whole += piece;
    const text = this.#heldBack + piece;
    const isSplit = /[\uD800-\uDBFF]$/.test(text);
    this.#heldBack = isSplit ? text.slice(-1) : '';
    return (isSplit ? text.slice(0, -1) : text).toWellFormed();
  }

  get whole(): string {
    return this.#whole.toWellFormed();
  }
}
