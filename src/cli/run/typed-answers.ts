import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import type { ProcessPort } from '../app-port.ts';
import { decideEscapes } from '../render/style.ts';

/** What came in: one line that was typed, something that was pasted, or the end of all input. */
export type TypedAnswer =
  | { readonly type: 'typed'; readonly line: string }
  | { readonly type: 'pasted' }
  | { readonly type: 'ended' };

// Has the terminal mark what is pasted, so that no line of it is taken for one that was typed.
const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const;
// oxlint-disable-next-line no-control-regex
const pasteMark = /\u001b\[20[01]~/;
// Nobody types two lines in this time.
const pasteMs = 20;
const waitingMs = 50;

/**
 * Answers that a person types to a question. What was typed before the question was asked is none, and neither is what is
 * pasted: its first line would answer for all of it. Not in raw mode: Ctrl-C stays a signal, and the terminal itself echoes.
 */
export class TypedAnswers implements Disposable {
  readonly #process: ProcessPort;
  readonly #lines: Interface;
  #waiting: string[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(process: ProcessPort) {
    this.#process = process;
    this.#lines = createInterface({ input: process.stdin, terminal: false });
    this.#lines.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake?.();
    });
    this.#lines.on('close', () => {
      this.#hasEnded = true;
      this.#wake?.();
    });
    this.#markPastes('on');
  }

  /** Drops what has been typed so far. The question is to be shown behind this. */
  async begin(): Promise<void> {
    await systemClock.sleep(waitingMs);
    // On a machine that is slow the time may be over before anything was read.
    await setImmediate();
    this.#waiting = [];
  }

  /** Resolves with `ended` as soon as the signal aborts. */
  async next(signal: AbortSignal): Promise<TypedAnswer> {
    await this.#whenThere(signal);
    if (this.#waiting.length === 0) return { type: 'ended' };
    await systemClock.sleep(pasteMs);
    await setImmediate();
    const [line = '', ...others] = this.#waiting;
    this.#waiting = [];
    return others.length > 0 || pasteMark.test(line) ? { type: 'pasted' } : { type: 'typed', line };
  }

  [Symbol.dispose](): void {
    this.#markPastes('off');
    this.#lines.close();
  }

  #whenThere(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0 || this.#hasEnded || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }

  #markPastes(wish: keyof typeof pasteMarks): void {
    const { stderr, env } = this.#process;
    if (decideEscapes({ isTerminal: stderr.isTTY, env }) === 'allowed') stderr.write(pasteMarks[wish]);
  }
}
