import { makeVisible, neutralise } from './neutralise.ts';
import type { Style } from './style.ts';
import type { Piece } from './turn-view.ts';
import { wrapWords } from './wrap-words.ts';

export type Write = (text: string) => void;

export interface PrinterDeps {
  /** Where the words of the model go, and where everything else goes; often the same. */
  readonly speech: Write;
  readonly notes: Write;
  readonly style: Style;
  /** How wide the screen for notes is now; undefined where there is none. */
  readonly columns: () => number | undefined;
}

/** Puts pieces on a screen: the words of the model run on, everything else stands on lines of its own. */
export class PiecePrinter {
  readonly #deps: PrinterDeps;
  #isMidLine = false;

  constructor(deps: PrinterDeps) {
    this.#deps = deps;
  }

  print(piece: Piece): void {
    const { style } = this.#deps;
    switch (piece.type) {
      case 'speech':
        this.speak(piece.text);
        return;
      case 'speech.ended':
        this.endLine();
        return;
      case 'asked':
        this.line(style.bold(`› ${neutralise(piece.text).replaceAll('\n', '\n  ')}`));
        return;
      case 'thinking':
        this.line(style.dim('thinking…'));
        return;
      case 'call':
        this.line(style.dim(`• ${neutralise(piece.text)}`));
        return;
      case 'outcome':
        this.line(style.dim(`  ${neutralise(piece.text)}`));
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
    this.#deps.speech(clean);
    this.#isMidLine = !clean.endsWith('\n');
  }

  /** A line of its own; the text is printed as it is. */
  line(text: string): void {
    this.endLine();
    this.#deps.notes(`${text}\n`);
  }

  /** Text of our own, on lines of its own that break between words. */
  prose(text: string, paint: (text: string) => string): void {
    this.line(paint(wrapWords(neutralise(text), this.#deps.columns())));
  }

  /** A question whose answer is about exactly what it shows. */
  question(text: string): void {
    this.line('This needs your consent:');
    this.line(this.#deps.style.bold(makeVisible(text)));
  }

  endLine(): void {
    if (this.#isMidLine) this.#deps.speech('\n');
    this.#isMidLine = false;
  }
}
