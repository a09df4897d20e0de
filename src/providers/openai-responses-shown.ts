import type { Json } from '../base/json.ts';
import { GrowingText } from './growing-text.ts';

/** The streamed text of several items as one: whatever belongs to another item than the last piece is set apart. */
export class ShownText {
  readonly #text = new GrowingText();
  readonly #sections = new Set<string>();
  readonly #separator: string;
  #current: string | undefined;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Whether anything of a section was added. */
  has(section: string): boolean {
    return this.#sections.has(section);
  }

  /** Adds a piece and returns what can be shown now. */
  add(section: string, piece: Json | undefined): string {
    if (typeof piece !== 'string' || piece === '') return '';
    const isApart = this.#current !== undefined && this.#current !== section;
    this.#current = section;
    this.#sections.add(section);
    return this.#text.add(isApart ? this.#separator + piece : piece);
  }
}
