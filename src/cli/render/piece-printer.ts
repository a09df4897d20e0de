import { consentHeading } from '../../model/channel.ts';
import { makeVisible, neutralise } from './neutralise.ts';
import { fitRows } from './fit-rows.ts';
import { fitColumns } from './one-line.ts';
import type { DiffLine } from './short-diff.ts';
import type { Style } from './style.ts';
import type { Piece } from './turn-view.ts';
import { WordStream } from './word-stream.ts';
import { wrapConsent } from './wrap-consent.ts';
import { wrapColumns } from './wrap-words.ts';

export type Write = (text: string) => void;

/** Lays out a text while it arrives. What it has printed it never takes back. */
export interface SpeechLayout {
  /** The next piece of the text; returns what can be printed by now. */
  take(text: string): string;
  /** The cursor goes to a new line, and the text goes on there. Returns what was held back. */
  pause(): string;
  /** The cursor goes to a new line, and another text begins there. Returns what was held back. */
  end(): string;
}

export interface PrinterDeps {
  /** Where the words of the model go, and where everything else goes; often the same. */
  readonly speech: Write;
  readonly notes: Write;
  readonly style: Style;
  /** How wide the screen for them is now; undefined where there is none. */
  readonly columns: (what: 'speech' | 'notes') => number | undefined;
  /** How the words of the model are laid out while they come; left out: broken between words, and else as they are. */
  readonly layout?: SpeechLayout;
  /** Set where what was changed in files is shown, too. */
  readonly diffs?: 'shown';
}

/** Puts pieces on a screen: the words of the model run on, everything else stands on lines of its own. */
export class PiecePrinter {
  readonly #deps: PrinterDeps;
  readonly #words: SpeechLayout;
  #isMidLine = false;

  constructor(deps: PrinterDeps) {
    this.#deps = deps;
    this.#words = deps.layout ?? new WordStream(() => deps.columns('speech'));
  }

  /** Whether the words of the model stop in the middle of a line. */
  get isMidLine(): boolean {
    return this.#isMidLine;
  }

  print(piece: Piece): void {
    if (piece.type === 'speech') {
      this.speak(piece.text);
      return;
    }
    this.endSpeech();
    const { style } = this.#deps;
    switch (piece.type) {
      case 'speech.ended':
        return;
      case 'asked':
        this.line(style.bold(`› ${neutralise(piece.text).replaceAll('\n', '\n  ')}`));
        return;
      case 'thinking':
        this.line(style.dim('thinking…'));
        return;
      case 'call':
      case 'asking':
        this.#row(`• ${piece.text}`);
        return;
      case 'outcome':
        if (piece.room === 'row') this.#row(`  ${piece.text}`);
        else this.#fewRows(piece.text);
        return;
      case 'diff':
        if (this.#deps.diffs === 'shown') for (const line of piece.lines) this.#diffLine(line);
        return;
      case 'note':
        this.prose(piece.text, (text) => style.dim(text));
        return;
    }
  }

  /** The next words of the model. */
  speak(text: string): void {
    const clean = neutralise(text);
    if (clean === '') return;
    this.#write(this.#words.take(clean));
    this.#isMidLine = !clean.endsWith('\n');
  }

  /** The words that come next have nothing to do with those that came last. */
  endSpeech(): void {
    this.#endLine(this.#words.end());
  }

  /** A line of its own; the text is printed as it is. */
  line(text: string): void {
    this.endLine();
    this.#deps.notes(`${text}\n`);
  }

  /** Text of our own, on lines of its own that break between words. */
  prose(text: string, paint: (text: string) => string): void {
    this.line(paint(wrapColumns(neutralise(text), this.#deps.columns('notes'))));
  }

  /** A question whose answer is about exactly what it shows. */
  question(text: string): void {
    this.line(consentHeading);
    this.line(this.#deps.style.bold(wrapConsent(makeVisible(text), this.#deps.columns('notes'))));
  }

  /** What comes next stands on a new line, be it the rest of what the model is saying. */
  endLine(): void {
    this.#endLine(this.#words.pause());
  }

  /** What is done on the way, in one row of the screen. */
  #row(text: string): void {
    this.line(this.#deps.style.dim(fitColumns(neutralise(text), this.#deps.columns('notes') ?? Infinity)));
  }

  #fewRows(text: string): void {
    this.line(this.#deps.style.dim(fitRows(neutralise(text), this.#deps.columns('notes') ?? Infinity)));
  }

  /** The sign says it all: where nothing may be painted, nothing is missing. */
  #diffLine({ type, text }: DiffLine): void {
    const { style, columns } = this.#deps;
    const { sign, look } = diffLooks[type];
    const shown = neutralise(text).replaceAll('\t', '  ');
    this.line(style[look](fitColumns(`    ${sign} ${shown}`.trimEnd(), columns('notes') ?? Infinity)));
  }

  #endLine(held: string): void {
    this.#write(this.#isMidLine ? `${held}\n` : held);
    this.#isMidLine = false;
  }

  #write(text: string): void {
    if (text !== '') this.#deps.speech(text);
  }
}

const diffLooks = {
  added: { sign: '+', look: 'good' },
  removed: { sign: '-', look: 'bad' },
  between: { sign: ' ', look: 'dim' },
} as const;
