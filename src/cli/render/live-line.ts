import type { Clock } from '../../base/clock.ts';
import { describeTime, describeWait } from '../../gateway/describe-wait.ts';
import { beginWaiting, followWait } from '../../gateway/follow-wait.ts';
import type { Waiting } from '../../gateway/follow-wait.ts';
import type { LoggedEntry, StepEvent } from '../../model/turn.ts';
import { fitColumns, oneLine } from './one-line.ts';

/** The screen that a live line stands on. */
export interface LiveScreen {
  /** Shows the text as the last line, in place of the one that stands there; what is printed next takes its place. */
  draw(text: string): void;
  erase(): void;
  readonly columns: number | undefined;
  /** Whether the cursor stands behind words that go on. */
  readonly isMidLine: boolean;
  /** Has what comes next stand on a new line. */
  endLine(): void;
}

const everyMs = 1000;
const silenceMs = 30_000;
const usualColumns = 80;
const longest = 200;

/** The last line of a screen while a turn runs: that something goes on, and when that takes long, what is waited for. */
export class LiveLine implements Disposable {
  readonly #screen: LiveScreen;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #waiting: Waiting | undefined;
  #isTicking = false;

  constructor(screen: LiveScreen, clock: Clock) {
    this.#screen = screen;
    this.#clock = clock;
  }

  /** Something was said, and is not answered yet. */
  begin(): void {
    this.#waiting ??= beginWaiting(this.#clock.monotonic());
    this.#show();
    if (!this.#isTicking) void this.#tick();
  }

  /** Goes on with a turn that is under way: what it waits for, and since when, is in its entries. */
  goOn(entries: readonly LoggedEntry[]): void {
    const [begun] = entries;
    if (begun === undefined) return;
    const skewMs = this.#clock.monotonic() - this.#clock.now();
    this.#waiting = entries.reduce(
      (waiting, logged) => followWait(waiting, { type: 'entry', logged }, logged.at + skewMs),
      beginWaiting(begun.at + skewMs),
    );
    this.begin();
  }

  /** Told of an event once whatever it puts on the screen is there. */
  follow(event: StepEvent): void {
    if (event.type === 'entry' && event.logged.entry.type === 'turn.settled') {
      this.end();
      return;
    }
    if (this.#waiting === undefined) this.begin();
    const before = this.#waiting;
    this.#waiting = before && followWait(before, event, this.#clock.monotonic());
    if (before?.obstacle.type !== this.#waiting?.obstacle.type) this.#show();
  }

  end(): void {
    this.#waiting = undefined;
    this.#screen.erase();
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.end();
  }

  async #tick(): Promise<void> {
    this.#isTicking = true;
    while (this.#waiting !== undefined && !this.#closing.signal.aborted) {
      await this.#clock.sleep(everyMs, this.#closing.signal).catch(() => undefined); // It is over.
      this.#show();
    }
    this.#isTicking = false;
  }

  #show(): void {
    const [waiting, nowMs] = [this.#waiting, this.#clock.monotonic()];
    const text = waiting && decideText(waiting, nowMs);
    if (waiting === undefined || text === undefined) {
      this.#screen.erase();
      return;
    }
    if (this.#screen.isMidLine && !text.isOverdue) return;
    this.#screen.endLine();
    // A line that fills more than a row cannot be taken away again.
    const columns = (this.#screen.columns ?? usualColumns) - 1;
    this.#screen.draw(fitBefore(`, ${describeTime(nowMs - waiting.sinceMs)}`, oneLine(text.line, longest), columns));
  }
}

/** Of a line that ends with the time, what stands before that is cut: the time is all that changes in it. Pure. */
function fitBefore(time: string, line: string, columns: number): string {
  const isRoom = line.endsWith(time) && time.length < columns;
  return isRoom ? fitColumns(line.slice(0, -time.length), columns - time.length) + time : fitColumns(line, columns);
}

interface LiveText {
  readonly line: string;
  /** Whether nothing was seen for so long that words which have begun are worth breaking off for it. */
  readonly isOverdue: boolean;
}

function decideText(waiting: Waiting, nowMs: number): LiveText | undefined {
  const isOverdue = nowMs - waiting.seenMs >= silenceMs;
  switch (waiting.obstacle.type) {
    // The question stands there, and the cursor behind it.
    case 'person':
      return undefined;
    case 'answering':
      return isOverdue ? { line: describeWait(waiting, nowMs), isOverdue } : undefined;
    case 'program':
    case 'model': {
      if (isOverdue) return { line: describeWait(waiting, nowMs), isOverdue };
      const spentMs = nowMs - waiting.sinceMs;
      return { line: spentMs < everyMs ? 'thinking…' : `thinking… ${describeTime(spentMs)}`, isOverdue };
    }
    case 'thinking':
    case 'call':
    case 'tools':
    case 'summary':
    case 'store':
      return { line: describeWait(waiting, nowMs), isOverdue };
  }
}
