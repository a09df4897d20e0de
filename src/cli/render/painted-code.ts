import { begin, end, mark } from './text-marks.ts';

/**
 * A block of code where its look alone sets it apart: its fences are not shown, the code is, byte for byte, so that it can be
 * copied. The break behind a line is printed with what comes next: the one behind the last is that of the closing fence.
 */
export class PaintedCode {
  #isBreakDue = false;
  #isMidLine = false;

  /** Whether something of the line that is coming was printed. */
  get isMidLine(): boolean {
    return this.#isMidLine;
  }

  /** More of a line. */
  add(text: string): string {
    if (text === '') return '';
    const before = this.#isMidLine ? '' : this.#takeBreak() + begin('code');
    this.#isMidLine = true;
    return before + text;
  }

  endLine(): string {
    const before = this.#isMidLine ? end('code') : this.#takeBreak();
    this.#isMidLine = false;
    this.#isBreakDue = true;
    return before;
  }

  /** The closing fence, or a place where something else comes in between. Returns what is due before it. */
  leave(): string {
    const due = this.#isMidLine ? end('code') : this.#takeBreak();
    this.forget();
    return due;
  }

  /** For a closing fence whose own break has not come yet. */
  forget(): void {
    this.#isMidLine = false;
    this.#isBreakDue = false;
  }

  #takeBreak(): string {
    const isDue = this.#isBreakDue;
    this.#isBreakDue = false;
    return isDue ? '\n' : '';
  }
}

/** What an opening fence says about the code, such as its language, on a line of its own or what there is of it. Pure. */
export function describeFence(line: string, ending: '\n' | ''): string {
  const said = line.replace(/[`~]{3,}[ \t]*/, '').trimEnd();
  return said.trim() === '' ? '' : `${mark('dim', said)}${ending}`;
}
