import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

const headLength = 20_000;
const tailLength = 30_000;
const longestEscape = 1000;

/**
 * The beginning and the end of an output of any length. Memory stays bounded: what stands between the first 20,000 and
 * the last 30,000 characters is counted and dropped while it is read.
 */
export class CapturedOutput {
  readonly #decoder = new StringDecoder('utf8');
  #unfinished = '';
  #head = '';
  #tail = '';
  #length = 0;
  #hasGap = false;

  add(bytes: Buffer): void {
    this.#addText(this.#decoder.write(bytes));
  }

  /** Counts what follows next and is not there to be read, a byte as a character. */
  skip(bytes: number): void {
    if (bytes === 0) return;
    this.#hasGap = true;
    this.#length += bytes;
  }

  #addText(text: string): void {
    const whole = this.#unfinished + text;
    const end = unfinishedEscape(whole) ?? whole.length;
    this.#unfinished = whole.slice(end);
    this.#keep(stripEscapes(whole.slice(0, end)));
  }

  #keep(text: string): void {
    this.#length += text.length;
    const room = this.#hasGap ? 0 : headLength - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    this.#tail += text.slice(Math.max(0, room));
    // Twice the length before it is cut, so that many small pieces do not each copy the whole tail.
    if (this.#tail.length > 2 * tailLength) this.#tail = this.#tail.slice(-tailLength);
  }

  /** All that was kept; where something was left out, a line says how much. */
  text(): string {
    this.#keep(stripEscapes(this.#unfinished + this.#decoder.end()));
    this.#unfinished = '';
    const tail = this.#tail.slice(-tailLength);
    const left = this.#length - this.#head.length - tail.length;
    if (left <= 0) return clean(this.#head + tail);
    const notice = `[… ${left.toLocaleString('en')} of ${this.#length.toLocaleString('en')} characters left out …]`;
    return `${clean(this.#head)}\n${notice}\n${clean(tail)}`;
  }
}

function stripEscapes(text: string): string {
  return text.includes('\u001B') ? stripVTControlCharacters(text) : text;
}

/** Where an escape sequence begins that the next piece may complete. */
function unfinishedEscape(text: string): number | undefined {
  const start = text.lastIndexOf('\u001B');
  if (start === -1 || text.length - start > longestEscape) return undefined;
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  return /^\u001B(?:[[(#;?]*[0-9;?]*|\][^\u0007]*)$/.test(text.slice(start)) ? start : undefined;
}

/** Without the control characters that mean something only to a terminal, and without halves of characters. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters to take out
  return text.replaceAll(/[\0-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '').toWellFormed();
}
