import { displayWidth } from './display-width.ts';

// Left to the terminal as they are: code, and the rows of tables.
const verbatimLine = /^(?:\t| {4}| {0,3}(?:\||`{3}|~{3}))/;
/** The beginning of a line of which it is not clear yet whether it is one of those. */
const unclearHead = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const openingFence = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;
const longestHead = 100;
const blank = /^[^\S\u00a0\u202f]$/;
// Scripts that are written without spaces: a line may break between any two of their characters.
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff01-\uff60]$/u;

/**
 * Breaks a text between words while it arrives. What is printed is never taken back, so a word is held until it is clear
 * whether it fits. Code blocks and tables are left to the terminal, and so is a word that is longer than a line.
 */
export class WordStream {
  readonly #columns: () => number | undefined;
  #kind: 'unclear' | 'prose' | 'verbatim' = 'unclear';
  /** How the line begins. */
  #head = '';
  /** What the code block that we are in began with. */
  #fence: string | undefined;
  /** Where the cursor is. */
  #column = 0;
  /** Blanks that are printed once a word follows them on the same line. */
  #blanks = '';
  #word = '';
  /** Whether the word that is coming is longer than a line, and so is printed as it comes. */
  #isTooLong = false;
  /** How far a line of our making is indented: below the words of the item that it goes on with. */
  #hang = 0;
  #out = '';

  constructor(columns: () => number | undefined) {
    this.#columns = columns;
  }

  /** The next piece of the text; returns what can be printed by now. */
  take(text: string): string {
    const columns = this.#columns() ?? 0;
    if (columns <= 0) return this.pause() + text;
    for (const character of text) {
      if (character === '\n') this.#endLine(columns);
      else this.#add(character, columns);
    }
    return this.#release();
  }

  /** The line that begins now is prose that stands behind this, and what is broken off of it is indented by as much. */
  hang(prefix: string): void {
    const width = displayWidth(prefix);
    this.#kind = 'prose';
    this.#head = prefix;
    this.#out += prefix;
    this.#column = width;
    this.#hang = width <= (this.#columns() ?? 0) / 2 ? width : 0;
  }

  /** The cursor goes to a new line, and the text goes on there. Returns what was held back. */
  pause(): string {
    this.#printHeld(this.#columns() ?? Infinity);
    if (this.#head !== '' && this.#kind === 'unclear') this.#kind = 'prose';
    this.#column = 0;
    return this.#release();
  }

  /** The cursor goes to a new line, and another text begins there. Returns what was held back. */
  end(): string {
    const held = this.pause();
    this.#fence = undefined;
    this.#beginLine();
    return held;
  }

  #release(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }

  #add(character: string, columns: number): void {
    if (this.#head.length < longestHead) this.#head += character;
    if (this.#kind === 'verbatim') this.#out += character;
    else if (this.#kind === 'prose') this.#addToProse(character, columns);
    else if (!unclearHead.test(this.#head)) this.#decideKind(columns);
  }

  #decideKind(columns: number): void {
    const head = this.#head;
    this.#kind = verbatimLine.test(head) ? 'verbatim' : 'prose';
    if (this.#kind === 'verbatim') {
      this.#out += head;
      return;
    }
    const text = head.trimStart();
    this.#blanks = head.slice(0, head.length - text.length);
    for (const character of text) this.#addToProse(character, columns);
  }

  #addToProse(character: string, columns: number): void {
    if (blank.test(character)) {
      this.#placeWord(columns);
      this.#isTooLong = false;
      // At the beginning of a line of our making they would stick out.
      if (this.#column > 0) this.#blanks += character;
      return;
    }
    const standsAlone = unspaced.test(character);
    if (standsAlone) this.#placeWord(columns);
    this.#word += character;
    const isTooLong = this.#isTooLong || displayWidth(this.#word) > columns;
    if (standsAlone || isTooLong) this.#placeWord(columns);
    this.#isTooLong = isTooLong && !standsAlone;
  }

  #placeWord(columns: number): void {
    if (this.#word === '') return;
    const widthThere = displayWidth(this.#blanks + this.#word);
    const isBroken = this.#column > 0 && this.#column + widthThere > columns && !this.#isTooLong;
    this.#out += isBroken ? `\n${' '.repeat(this.#hang)}${this.#word}` : this.#blanks + this.#word;
    const end = isBroken ? this.#hang + displayWidth(this.#word) : this.#column + widthThere;
    // What is wider than the screen goes on in the next rows of the terminal.
    this.#column = end > columns ? ((end - 1) % columns) + 1 : end;
    this.#blanks = '';
    this.#word = '';
  }

  #printHeld(columns: number): void {
    if (this.#kind === 'unclear') this.#out += this.#head;
    this.#placeWord(columns);
    this.#blanks = '';
  }

  #endLine(columns: number): void {
    this.#printHeld(columns);
    this.#out += '\n';
    this.#fence = fenceBehind(this.#head, this.#fence);
    this.#beginLine();
  }

  #beginLine(): void {
    this.#kind = this.#fence === undefined ? 'unclear' : 'verbatim';
    this.#head = '';
    this.#column = 0;
    this.#hang = 0;
    this.#isTooLong = false;
  }
}

/** The fence of the code block that goes on behind a line, if there is one. Pure. */
function fenceBehind(line: string, fence: string | undefined): string | undefined {
  const [, backticks, tildes] = openingFence.exec(line) ?? [];
  if (fence === undefined) return backticks ?? tildes;
  const marks = line.trim();
  return marks.startsWith(fence) && /^(?:`+|~+)$/.test(marks) ? undefined : fence;
}
