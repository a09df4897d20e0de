import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { within } from '../../base/within.ts';
import { AnswerReader } from './answer-reader.ts';
import type { Answer } from './answer-reader.ts';
import type { Breakage, Way } from './elsewhere.ts';
import { remotePrelude } from './remote-script.ts';

export type Talk =
  | { readonly type: 'over' }
  /** `isSent` where what was to be done may have been done. */
  | { readonly type: 'broken'; readonly isSent: boolean; readonly breakage: Breakage }
  | { readonly type: 'aborted' };

// Longer than it takes to notice that a host is gone.
const reachMs = 30_000;
const lastWordsMs = 1000;
const longestErrorText = 8000;

/** Has one act done elsewhere and hands over what is answered, up to its end, a break or an abort. */
export async function converse(
  way: Way,
  act: Buffer,
  onAnswer: (answer: Answer) => void,
  signal: AbortSignal,
): Promise<Talk> {
  if (signal.aborted) return { type: 'aborted' };
  const talk = new Conversation(way, act, onAnswer);
  const onAbort = (): void => talk.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await talk.end;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class Conversation {
  readonly end: Promise<Talk>;
  readonly #child: ReturnType<typeof spawn>;
  readonly #reader: AnswerReader;
  readonly #ending = Promise.withResolvers<Talk>();
  readonly #over = new AbortController();
  readonly #act: Buffer;
  readonly #onAnswer: (answer: Answer) => void;
  #isSent = false;
  #errorText = '';

  constructor(way: Way, act: Buffer, onAnswer: (answer: Answer) => void) {
    const mark = `talaria-${randomUUID()}`;
    this.#act = act;
    this.#onAnswer = onAnswer;
    this.#reader = new AnswerReader(mark);
    this.end = this.#ending.promise;
    // In a session of its own, so that a key at our terminal does not end it.
    this.#child = spawn(way.program, way.args, { env: way.environment, detached: true, stdio: 'pipe' });
    this.#child.once('error', (error) => this.#break({ error, code: undefined }));
    this.#child.once('exit', (code) => void this.#breakBehindOutput(code ?? undefined));
    this.#child.stdout?.on('data', (piece: Buffer) => this.#hear(piece));
    this.#child.stderr?.on('data', (piece: Buffer) => {
      this.#errorText = (this.#errorText + piece.toString('utf8')).slice(-longestErrorText);
    });
    // That nobody reads is told by the end of the child.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdin?.write(remotePrelude(mark));
    void this.#giveUpInTime();
  }

  /** The end of a child may be told before the last that it said. What ssh leaves in the background may hold the pipe. */
  async #breakBehindOutput(code: number | undefined): Promise<void> {
    const { stdout } = this.#child;
    const rest = new Promise<void>((resolve) => {
      if (stdout === null || stdout.closed) resolve();
      else stdout.once('close', resolve);
    });
    await within(systemClock, lastWordsMs, rest);
    this.#break({ error: undefined, code });
  }

  abort(): void {
    this.#finish({ type: 'aborted' });
  }

  #hear(piece: Buffer): void {
    const answers = this.#reader.read(piece);
    if (answers === undefined) {
      this.#break({ error: new Error('what it answered cannot be read'), code: undefined });
      return;
    }
    for (const answer of answers) {
      if (answer.name === 'epoch') this.#send();
      if (answer.name === 'over') this.#finish({ type: 'over' });
      else this.#onAnswer(answer);
    }
  }

  #send(): void {
    this.#isSent = true;
    this.#child.stdin?.write(this.#act);
  }

  async #giveUpInTime(): Promise<void> {
    const isLate = await systemClock.sleep(reachMs, this.#over.signal).then(
      () => true,
      () => false,
    );
    if (isLate && !this.#isSent) this.#break({ error: new Error('it did not answer in time'), code: undefined });
  }

  #break(how: Omit<Breakage, 'stderr'>): void {
    this.#finish({ type: 'broken', isSent: this.#isSent, breakage: { ...how, stderr: this.#errorText } });
  }

  #finish(talk: Talk): void {
    this.#over.abort('over');
    this.#ending.resolve(talk);
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe?.destroy();
    if (talk.type !== 'over') this.#child.kill('SIGTERM');
    this.#child.unref();
  }
}
