import { InlineMarkdown } from './inline-markdown.ts';
import { renderTable } from './markdown-table.ts';
import { describeFence, PaintedCode } from './painted-code.ts';
import { begin, end, mark, paintMarks, quoteCode, withoutMarks } from './text-marks.ts';
import { WordStream } from './word-stream.ts';

type Kind = 'unclear' | 'prose' | 'heading' | 'fence' | 'code' | 'table';

/** The beginning of a line that may become a heading, an item, a rule, a quote, a fence or a row of a table. */
const unclearHead = /^\s*(?:#{0,6}|[-*_+]|[-*_](?:[ \t]*[-*_])*[ \t]*|\d{1,9}[.)]?|>|`{1,2}|~{1,2})?$/;
const fenceHead = /^\s{0,12}(?:`{3,}|~{3,})/;
const rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const longestRule = 40;

/**
 * Markdown as people read it on a terminal, while it arrives: headings and bold words stand out, items have bullets, tables
 * columns. Words go out as they come, a table when it is whole. Code is printed as it is, so that it can be copied, without its
 * fences where colour sets it apart.
 */
export class MarkdownStream {
  readonly #columns: () => number | undefined;
  readonly #looks: 'painted' | 'bare';
  readonly #words: WordStream;
  readonly #inline = new InlineMarkdown();
  #kind: Kind = 'unclear';
  /** The line so far, while it is not clear what it is, or where only the whole of it can be shown. */
  #line = '';
  /** What the code block that we are in began with. */
  #fence: string | undefined;
  readonly #code = new PaintedCode();
  /** The rows of a table that goes on. */
  #rows: string[] = [];
  #isInList = false;
  #half = '';
  #out = '';

  /** `bare` uses no escape codes: the layout stays, and code keeps its backticks and fences. */
  constructor(columns: () => number | undefined, looks: 'painted' | 'bare' = 'painted') {
    this.#columns = columns;
    this.#looks = looks;
    this.#words = new WordStream(columns);
  }

  /** The next piece of the text; returns what can be printed by now. */
  take(text: string): string {
    const whole = this.#half + text;
    // Half a character is shown with its other half, and so is judged with it.
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    for (const piece of withoutMarks(whole.slice(0, whole.length - this.#half.length)).split(/(\n)/)) {
      if (piece === '\n') this.#endLine();
      else if (piece !== '') this.#add(piece);
    }
    return this.#release();
  }

  /** The cursor goes to a new line, and the text goes on there. Returns what was held back. */
  pause(): string {
    this.#flushLine();
    this.#out += this.#words.pause();
    return this.#release();
  }

  /** The cursor goes to a new line, and another text begins there. Returns what was held back. */
  end(): string {
    const held = this.pause();
    this.#words.end();
    this.#fence = undefined;
    this.#half = '';
    this.#isInList = false;
    this.#beginLine();
    return held;
  }

  #release(): string {
    const out = this.#looks === 'painted' ? paintMarks(this.#out) : withoutMarks(this.#out);
    this.#out = '';
    return out;
  }

  #add(text: string): void {
    if (this.#kind === 'code') this.#addCode(text);
    else if (this.#kind === 'prose' || this.#kind === 'heading') this.#say(text);
    else {
      this.#line += text;
      if (this.#kind === 'unclear' && !unclearHead.test(this.#line)) this.#decide();
    }
  }

  /** A line of code is printed as it comes, unless it may be the one that ends the block. */
  #addCode(text: string): void {
    this.#line += text;
    if (!this.#code.isMidLine && /^\s*(?:`*|~*)\s*$/.test(this.#line)) return;
    this.#out += this.#isPainted ? this.#code.add(this.#line) : this.#line;
    this.#line = '';
  }

  /** Four blanks in front set code apart without any colour. */
  get #isPainted(): boolean {
    return this.#looks === 'painted' && this.#fence !== undefined;
  }

  #decide(): void {
    const line = this.#line;
    if (fenceHead.test(line)) {
      this.#kind = 'fence';
      return;
    }
    if (/^ {0,3}\|/.test(line)) {
      this.#kind = 'table';
      return;
    }
    this.#line = '';
    this.#printTable();
    this.#decideProse(line);
  }

  #decideProse(line: string): void {
    const heading = /^ {0,3}#{1,6}[ \t]+/.exec(line);
    this.#kind = heading === null ? 'prose' : 'heading';
    if (heading !== null) {
      this.#out += this.#words.take(begin('bold'));
      this.#say(line.slice(heading[0].length));
      return;
    }
    const item = /^(\s*)(?:[-*+]|(\d{1,9}[.)]))[ \t]+/.exec(line);
    const isItem = item !== null && (this.#isInList || (item[1] ?? '').length < 4);
    const isIndented = /^\s{2,}\S/.test(line);
    this.#isInList = isItem || (this.#isInList && isIndented);
    if (isItem) this.#beginItem(item, line);
    else if (line.startsWith('>')) this.#beginQuote(line);
    else if (/^(?: {4}|\t)/.test(line) && !this.#isInList) this.#beginIndentedCode(line);
    else this.#say(line);
  }

  #beginItem([whole, indent = '', number]: RegExpExecArray, line: string): void {
    const bullet = `${indent}${number ?? '•'} `;
    this.#words.hang(bullet);
    this.#say(line.slice(whole.length));
  }

  #beginQuote(line: string): void {
    this.#words.hang(mark('dim', '│ '));
    this.#say(line.replace(/^>[ \t]?/, ''));
  }

  /** Four blanks in front are code, where they are not below an item. */
  #beginIndentedCode(line: string): void {
    this.#kind = 'code';
    this.#out += line;
  }

  #say(text: string): void {
    this.#out += this.#words.take(this.#look(this.#inline.take(text)));
  }

  /** A heading is bold as a whole: what is bold or dim inside of it would end that. */
  #look(words: string): string {
    const quoted = this.#looks === 'painted' ? words : quoteCode(words);
    return this.#kind === 'heading' ? withoutMarks(quoted, ['bold', 'dim']) : quoted;
  }

  #endLine(): void {
    this.#judgeFence();
    const line = this.#line;
    if (this.#kind === 'fence' || this.#kind === 'code') this.#endCodeLine(line);
    else if (this.#kind === 'table') this.#rows.push(line);
    else if (this.#kind === 'unclear' && rule.test(line)) this.#printRule();
    else {
      // A blank line, or one that was never more than the beginning of something.
      if (this.#kind === 'unclear') {
        this.#printTable();
        this.#out += this.#words.take(line);
      }
      this.#endProse();
      this.#out += this.#words.take('\n');
    }
    this.#beginLine();
  }

  /** Backticks around a word open no block, however many there are. */
  #judgeFence(): void {
    const line = this.#line;
    if (this.#kind !== 'fence' || opens(line)) return;
    this.#line = '';
    this.#printTable();
    this.#decideProse(line);
  }

  #endProse(): void {
    const rest = this.#look(this.#inline.end()) + (this.#kind === 'heading' ? end('bold') : '');
    this.#out += this.#words.take(rest);
  }

  #endCodeLine(line: string): void {
    const isFence = this.#kind === 'fence' || (!this.#code.isMidLine && closes(line, this.#fence));
    this.#printTable();
    if (this.#looks === 'bare') this.#out += `${line}\n`;
    else if (this.#kind === 'fence') this.#out += describeFence(line, '\n');
    else if (isFence) this.#out += this.#code.leave();
    else this.#out += this.#isPainted ? this.#code.add(line) + this.#code.endLine() : `${line}\n`;
    if (this.#kind === 'fence') this.#fence = fenceIn(line);
    else if (isFence) this.#fence = undefined;
  }

  #printRule(): void {
    this.#printTable();
    this.#out += `${mark('dim', '─'.repeat(Math.min(this.#width(), longestRule)))}\n`;
  }

  #printTable(ending: '\n' | '' = '\n'): void {
    if (this.#rows.length === 0) return;
    this.#out += `${renderTable(this.#rows, this.#width()).join('\n')}${ending}`;
    this.#rows = [];
  }

  /** What is held of a line that is not over is printed as it is. */
  #flushLine(): void {
    if (this.#kind === 'table') {
      this.#rows.push(this.#line);
      this.#printTable('');
    } else this.#flushText();
    this.#line = '';
  }

  #flushText(): void {
    this.#judgeFence();
    const line = this.#line;
    this.#printTable();
    if (this.#kind === 'prose' || this.#kind === 'heading') this.#endProse();
    else if (this.#kind === 'unclear') this.#out += this.#words.take(line);
    else this.#flushCode(line);
    if (line !== '' && this.#kind === 'unclear') this.#kind = 'prose';
  }

  #flushCode(line: string): void {
    const isClosing = this.#isPainted && !this.#code.isMidLine && closes(line, this.#fence);
    if (this.#kind === 'fence') {
      this.#out += this.#looks === 'painted' ? describeFence(line, '') : line;
      this.#fence = fenceIn(line);
      this.#kind = 'code';
    } else if (isClosing) {
      this.#code.forget();
      this.#fence = undefined;
      this.#kind = 'prose';
    } else this.#out += this.#isPainted ? this.#code.add(line) + this.#code.leave() : line;
  }

  #beginLine(): void {
    this.#line = '';
    this.#kind = this.#fence === undefined ? 'unclear' : 'code';
  }

  #width(): number {
    const columns = this.#columns() ?? 0;
    return columns > 0 ? columns : Infinity;
  }
}

/** Whether a line that begins with a fence opens a block of code. */
function opens(line: string): boolean {
  return /^\s*(?:~{3,}|`{3,}[^`]*$)/.test(line);
}

function fenceIn(line: string): string | undefined {
  return /`{3,}|~{3,}/.exec(line)?.[0];
}

/** Whether a line ends the code block that began with the fence. */
function closes(line: string, fence: string | undefined): boolean {
  const marks = line.trim();
  return fence !== undefined && marks.startsWith(fence) && /^(?:`+|~+)$/.test(marks);
}
