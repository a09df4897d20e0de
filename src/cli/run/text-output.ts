import { systemClock } from '../../base/clock.ts';
import type { TurnId } from '../../base/ids.ts';
import type { Outbound } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';
import { neutralise } from '../render/neutralise.ts';
import { PiecePrinter } from '../render/piece-printer.ts';
import type { TurnTranscript } from '../render/transcript.ts';
import { LiveLine } from '../render/live-line.ts';
import type { LiveScreen } from '../render/live-line.ts';
import { StatusNotes } from '../render/status-notes.ts';
import { chooseStyle, decideEscapes, eraseRow } from '../render/style.ts';
import type { Style } from '../render/style.ts';
import { blankView, missingOf, showEvent } from '../render/turn-view.ts';
import type { Piece, TurnView } from '../render/turn-view.ts';
import type { ProcessPort } from '../app-port.ts';
import { wayToGoOn } from '../way-by-id.ts';
import type { RunOutput, RunStart } from './run-output.ts';
import type { Said } from './talk.ts';

/**
 * The reply on stdout, everything else on stderr. On a terminal the reply is seen as it grows; otherwise it is written
 * once, at the end, byte for byte as it is in the log.
 */
export class TextOutput implements RunOutput {
  readonly #process: Pick<ProcessPort, 'stdout' | 'stderr'>;
  readonly #isQuiet: boolean;
  readonly #style: Style;
  readonly #printer: PiecePrinter;
  readonly #views = new Map<TurnId, TurnView>();
  readonly #live: LiveLine | undefined;
  readonly #statusNotes = new StatusNotes((text) => this.note(text));
  #isLiveShown = false;
  #earlier: ReadonlySet<string> = new Set();
  #lastTurn: TurnRef | undefined;

  constructor(process: Pick<ProcessPort, 'stdout' | 'stderr' | 'env'>, progress: 'shown' | 'quiet') {
    this.#process = process;
    this.#isQuiet = progress === 'quiet';
    this.#style = chooseStyle({ isTerminal: process.stderr.isTTY, env: process.env });
    this.#printer = new PiecePrinter({
      speech: (text) => this.#write(process.stdout, text),
      notes: (text) => this.#write(process.stderr, text),
      style: this.#style,
      columns: (what) => {
        const screen = what === 'speech' ? process.stdout : process.stderr;
        return screen.isTTY ? screen.columns : undefined;
      },
    });
    const escapes = decideEscapes({ isTerminal: process.stderr.isTTY, env: process.env });
    if (escapes === 'allowed' && !this.#isQuiet)
      this.#live = new LiveLine(this.#liveScreen(process.stderr), systemClock);
  }

  #liveScreen(stderr: NodeJS.WriteStream): LiveScreen {
    const printer = this.#printer;
    return {
      draw: (text) => {
        stderr.write(eraseRow + this.#style.dim(text));
        this.#isLiveShown = true;
      },
      erase: () => this.#eraseLive(),
      get columns() {
        return stderr.columns;
      },
      get isMidLine() {
        return printer.isMidLine;
      },
      endLine: () => printer.endLine(),
    };
  }

  #write(stream: NodeJS.WriteStream, text: string): void {
    this.#eraseLive();
    stream.write(text);
  }

  #eraseLive(): void {
    if (this.#isLiveShown) this.#process.stderr.write(eraseRow);
    this.#isLiveShown = false;
  }

  started({ earlier }: RunStart): void {
    this.#earlier = earlier;
    this.#live?.begin();
  }

  /** Shows turns of the log again, as progress. What goes on of them goes on from there. */
  recall(turns: readonly TurnTranscript[]): void {
    for (const { turnId, view, pieces } of turns) {
      this.#views.set(turnId, view);
      for (const piece of pieces) {
        if (piece.type === 'speech.ended') this.#printer.line(this.#style.dim(neutralise(piece.text)));
        else if (piece.type !== 'speech') this.#printer.print(piece);
      }
    }
  }

  note(text: string): void {
    if (!this.#isQuiet) this.#printer.print({ type: 'note', text });
  }

  take(turn: TurnRef, event: StepEvent): void {
    const { view, pieces } = showEvent(this.#views.get(turn.turnId) ?? blankView, event);
    this.#views.set(turn.turnId, view);
    this.#lastTurn = turn;
    const isStreamed = this.#process.stdout.isTTY && !this.#isEarlier();
    for (const piece of pieces) {
      if (isStreamed) this.#stream(piece);
      else this.#progress(piece);
    }
    if (this.#live) this.#live.follow(event);
    else this.#statusNotes.follow(event);
  }

  show(message: Outbound): void {
    if (message.kind === 'reply' && !this.#isEarlier()) this.#reply(message.text);
    else this.#printer.line(neutralise(message.text));
  }

  finish(said: Said): void {
    this.#live?.end();
    if (said.type === 'answered') this.#reply(said.text);
    if (said.type === 'refused') this.#printer.line(neutralise(said.reason));
    if (said.type === 'put-off' || said.type === 'left')
      this.#printer.line(`The turn is unfinished. It goes on with: ${wayToGoOn(this.#lastTurn?.sessionId)}`);
  }

  #reply(text: string): void {
    if (!this.#process.stdout.isTTY) {
      this.#write(this.#process.stdout, `${text}\n`);
      return;
    }
    const view = this.#lastTurn && this.#views.get(this.#lastTurn.turnId);
    this.#printer.speak(missingOf(text, view ?? blankView));
    this.#printer.endSpeech();
  }

  #stream(piece: Piece): void {
    const isSpeech = piece.type === 'speech' || piece.type === 'speech.ended';
    if (isSpeech || !this.#isQuiet) this.#printer.print(piece);
  }

  /** Of the words only those that lead up to tools: the rest is the reply. */
  #progress(piece: Piece): void {
    if (this.#isQuiet || piece.type === 'speech') return;
    if (piece.type !== 'speech.ended') this.#printer.print(piece);
    else if (piece.purpose === 'aside') this.#printer.line(this.#style.dim(neutralise(piece.text)));
  }

  /** Nothing has run yet, or something that was left over from before. */
  #isEarlier(): boolean {
    return this.#lastTurn === undefined || this.#earlier.has(this.#lastTurn.turnId);
  }
}
