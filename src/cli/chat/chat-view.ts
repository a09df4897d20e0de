import type { TurnId } from '../../base/ids.ts';
import type { Outbound } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';
import { MarkdownStream } from '../render/markdown-stream.ts';
import { PiecePrinter } from '../render/piece-printer.ts';
import type { Style } from '../render/style.ts';
import type { TurnTranscript } from '../render/transcript.ts';
import { blankView, missingOf, showEvent } from '../render/turn-view.ts';
import type { Piece, TurnView } from '../render/turn-view.ts';
import { ShownReplies } from './shown-replies.ts';

/** What a person sees of a chat. It knows what is on the screen, so that nothing is shown twice. */
export class ChatView {
  readonly #style: Style;
  readonly #printer: PiecePrinter;
  readonly #views = new Map<TurnId, TurnView>();
  #shown = new ShownReplies([]);
  #lastTurn: TurnId | undefined;

  constructor(write: (text: string) => void, style: Style, columns: () => number | undefined) {
    this.#style = style;
    const layout = style.looks === 'none' ? undefined : new MarkdownStream(columns, style.looks);
    const deps = { speech: write, notes: write, style, columns, diffs: 'shown' } as const;
    this.#printer = new PiecePrinter({ ...deps, ...(layout && { layout }) });
  }

  /** Shows turns of the log again. What goes on of them goes on from there. */
  recall(turns: readonly TurnTranscript[]): void {
    this.#shown = new ShownReplies(turns);
    for (const { turnId, view, pieces, result } of turns) {
      this.#views.set(turnId, view);
      const open = result === undefined ? openQuestion(pieces) : undefined;
      for (const piece of pieces) if (piece !== open) this.#printer.print(piece);
      this.#printer.endSpeech();
    }
  }

  /** From here on everything that is delivered is new. */
  endRecall(): void {
    this.#shown.forget();
  }

  take({ turnId }: TurnRef, event: StepEvent): void {
    const { view, pieces } = showEvent(this.#views.get(turnId) ?? blankView, event);
    this.#views.set(turnId, view);
    this.#lastTurn = turnId;
    // The question itself comes right behind.
    for (const piece of pieces) if (piece.type !== 'asking') this.#printer.print(piece);
  }

  show({ kind, text, about, choices = [] }: Outbound): void {
    if (kind === 'question' && about === 'choice')
      this.#printer.prose(setApart(text, choices), (wrapped) => this.#style.bold(wrapped));
    else if (kind === 'question') this.#printer.question(text);
    else if (this.#shown.take(text)) return;
    else if (kind === 'reply') this.#reply(text);
    else this.#printer.prose(text, (wrapped) => wrapped);
  }

  note(text: string): void {
    this.#printer.print({ type: 'note', text });
  }

  title(text: string): void {
    this.#printer.prose(text, (wrapped) => this.#style.bold(wrapped));
  }

  get isMidLine(): boolean {
    return this.#printer.isMidLine;
  }

  endLine(): void {
    this.#printer.endLine();
  }

  #reply(text: string): void {
    const view = (this.#lastTurn && this.#views.get(this.#lastTurn)) ?? blankView;
    this.#printer.speak(missingOf(text, view));
    this.#printer.endSpeech();
  }
}

/** A question without an answer yet: it is asked again, and so need not be shown before that. */
function openQuestion(pieces: readonly Piece[]): Piece | undefined {
  const last = pieces.findLast(({ type }) => type === 'asking' || type === 'outcome');
  return last?.type === 'asking' ? last : undefined;
}

/** A question with its choices further in, so that the numbers stand out. */
function setApart(text: string, choices: readonly string[]): string {
  const numbered = /^(\d\.) (?=\S)/gm;
  return choices.length === 0 ? text : text.replaceAll(numbered, '  $1  ');
}
