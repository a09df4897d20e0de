import { createInterface } from 'node:readline';
import type { Interface, Key } from 'node:readline';
import type { Outbound } from '../../model/channel.ts';
import type { ProcessPort } from '../app-port.ts';
import { promptFor } from '../read-reply.ts';
import { chooseStyle, decideEscapes, eraseRow } from '../render/style.ts';
import { completeCommand, keepTab } from './complete-command.ts';
import { isInPaste, noteCursorRow } from './note-cursor-row.ts';

export interface ScreenEvents {
  /** A line was entered. */
  line(text: string): void;
  /** A paste has come to its end. */
  pasted(): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D on an empty line, or the terminal went away. */
  end(): void;
  /** Someone begins to type where no prompt stands: now is the time to show one. */
  beforeTyping(): void;
  /** What was typed is erased, or entered and dealt with. */
  afterTyping(): void;
}

export interface ScreenOptions {
  readonly process: ProcessPort;
  /** What the arrow keys bring back, newest first. */
  readonly history: readonly string[];
  readonly events: ScreenEvents;
}

const eraseLine = '\r\u001b[J';
// Has the terminal mark what is pasted, so that no line of it is taken for one that was typed.
const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;
const enterKeys: ReadonlySet<string> = new Set(['return', 'enter']);
// Of two lengths, since a prompt that fills more than a row cannot be taken away again.
const waitingHint = { wide: '(output waits) ', narrow: '(…) ' } as const;
const narrowColumns = 40;

/**
 * A terminal that is written to while a person types. The two never mix: what is to be printed while a line is being
 * typed waits until that line is entered or erased, and the prompt says so.
 */
export class ChatScreen implements Disposable {
  readonly #process: ProcessPort;
  readonly #events: ScreenEvents;
  readonly #lines: Interface;
  /** What the line editor does when the terminal changes its size: it draws its line, wherever the cursor is. */
  readonly #redrawers: readonly (() => void)[];
  #prompt = '';
  #isPromptShown = false;
  #isRemembering = true;
  #isClosed = false;
  #isLive = false;
  #isPasting = false;
  #held = '';

  constructor({ process, history, events }: ScreenOptions) {
    this.#process = process;
    this.#events = events;
    const others = new Set(process.stdout.listeners('resize'));
    this.#lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
      terminal: true,
      completer: (line: string) => (this.#isPasting ? keepTab(line) : completeCommand(line)),
    });
    this.#redrawers = process.stdout.listeners('resize').filter((listener) => !others.has(listener));
    this.#listen();
    this.#markPastes('on');
  }

  /** Whether a paste is coming in. */
  get isPasting(): boolean {
    return this.#isPasting;
  }

  get isTyping(): boolean {
    return this.#isPromptShown && this.#lines.line !== '' && !this.#isClosed;
  }

  write(text: string): void {
    if (this.isTyping) {
      if (this.#held === '') this.#redraw(this.#hint() + this.#prompt);
      this.#held += text;
      return;
    }
    this.eraseLive();
    this.hidePrompt();
    this.#process.stdout.write(text);
  }

  /** Shows a line that goes when anything else is written, unless someone is typing. Only for terminals that obey escape codes. */
  drawLive(text: string): void {
    if (this.isTyping || this.#isClosed) return;
    this.hidePrompt();
    const { env, stdout } = this.#process;
    stdout.write(eraseRow + chooseStyle({ isTerminal: true, env }).dim(text));
    this.#isLive = true;
  }

  eraseLive(): void {
    if (this.#isLive) this.#process.stdout.write(eraseRow);
    this.#isLive = false;
  }

  /** Shows a prompt; the cursor must be at the beginning of a line. `forgotten` lines are not brought back by the arrow keys. */
  prompt(text: string, memory: 'remembered' | 'forgotten'): void {
    this.#isRemembering = memory === 'remembered';
    this.#prompt = text;
    this.#lines.setPrompt(text);
    if (this.isTyping || this.#isClosed) return;
    this.eraseLive();
    this.hidePrompt();
    this.#isPromptShown = true;
    this.#lines.prompt();
  }

  /** Shows the prompt of a question, in one row if it can be. */
  ask(question: Outbound): void {
    this.prompt(promptFor(question, this.#process.stdout.columns), 'forgotten');
  }

  /** Takes a prompt away at which nothing was typed. */
  hidePrompt(): void {
    if (!this.#isPromptShown || this.isTyping) return;
    this.#isPromptShown = false;
    this.#process.stdout.write(this.#mayEscape() ? eraseLine : '\n');
  }

  /** Throws away what is being typed. */
  clearTyped(): void {
    this.#isPasting = false;
    noteCursorRow(this.#lines);
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#release();
  }

  [Symbol.dispose](): void {
    const { stdin, stdout } = this.#process;
    stdout.off('resize', this.#onResize);
    stdin.off('keypress', this.#beforeKey).off('keypress', this.#afterKey).off('error', this.#end);
    const held = this.#held;
    this.#held = '';
    this.#markPastes('off');
    this.eraseLive();
    if (this.isTyping) this.#process.stdout.write('\n');
    else this.hidePrompt();
    this.#isClosed = true;
    this.#lines.removeAllListeners().close();
    this.#process.stdout.write(held);
  }

  #listen(): void {
    const { stdin, stdout } = this.#process;
    const lines = this.#lines;
    for (const redraw of this.#redrawers) stdout.off('resize', redraw);
    stdout.on('resize', this.#onResize);
    // In front of the line editor's own listener and behind it: before a key takes effect, and after.
    stdin.prependListener('keypress', this.#beforeKey);
    stdin.on('keypress', this.#afterKey);
    stdin.on('error', this.#end);
    lines.on('line', (text) => this.#enter(text));
    lines.on('SIGINT', () => this.#events.interrupt());
    lines.on('close', this.#end);
    lines.on('history', (history) => {
      if (!this.#isRemembering) history.shift();
    });
    // Back in the foreground the line editor is paused and has drawn its prompt.
    lines.on('SIGCONT', () => {
      lines.resume();
      this.#markPastes('on');
      this.#isPromptShown = true;
    });
  }

  readonly #beforeKey = (text: string | undefined, key: Key): void => {
    if (key.name === 'paste-start') this.#isPasting = true;
    if (key.name === 'paste-start' || key.name === 'paste-end') return;
    if (!isInPaste(this.#lines, text)) noteCursorRow(this.#lines);
    const isEntering = enterKeys.has(key.name ?? '');
    // Entered, the line stays on the screen, and what waited comes right below it.
    if (isEntering && this.#held !== '' && this.#mayEscape()) this.#redraw(this.#prompt);
    if (this.#isPromptShown || key.ctrl === true || isEntering || key.name === 'escape') return;
    this.#events.beforeTyping();
  };

  readonly #afterKey = (_text: string | undefined, key: Key): void => {
    if (key.name === 'paste-end' && this.#isPasting) {
      this.#isPasting = false;
      // Within a line the line editor draws what stands behind a paste at its last character, which is this mark.
      if (this.#lines.cursor < this.#lines.line.length) this.#redraw(this.#lines.getPrompt());
      this.#events.pasted();
    }
    if (this.#isPromptShown && this.#lines.line === '' && this.#held !== '') this.#release();
  };

  /** Most terminals wrap anew what is on them. Where no prompt stands there is no line to draw, and an answer to spoil. */
  readonly #onResize = (): void => {
    if (!this.#isPromptShown) return;
    noteCursorRow(this.#lines);
    for (const redraw of this.#redrawers) redraw();
  };

  readonly #end = (): void => this.#events.end();

  #markPastes(wish: keyof typeof pasteMarks): void {
    if (this.#mayEscape()) this.#process.stdout.write(pasteMarks[wish]);
  }

  #mayEscape(): boolean {
    return decideEscapes({ isTerminal: true, env: this.#process.env }) === 'allowed';
  }

  #hint(): string {
    const { env, stdout } = this.#process;
    const width = stdout.columns < narrowColumns ? 'narrow' : 'wide';
    return chooseStyle({ isTerminal: true, env }).dim(waitingHint[width]);
  }

  /** Puts another prompt in front of what is being typed: in its place, or where nothing can be erased, below it. */
  #redraw(prompt: string): void {
    noteCursorRow(this.#lines);
    this.#lines.setPrompt(prompt);
    if (this.#mayEscape()) this.#lines.prompt(true);
    else this.#process.stdout.write(`\n${prompt}${this.#lines.line}`);
  }

  #enter(text: string): void {
    this.#isPromptShown = false;
    this.#events.line(text);
    this.#release();
  }

  /** Prints what waited while someone typed. */
  #release(): void {
    const held = this.#held;
    this.#held = '';
    if (held !== '') this.write(held);
    this.#events.afterTyping();
  }
}
