import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveLine } from '../../../src/cli/render/live-line.ts';
import { StatusNotes } from '../../../src/cli/render/status-notes.ts';
import type { RuntimeName } from '../../../src/model/runtime.ts';
import type { StepEvent } from '../../../src/model/turn.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { answered, call, called, claimed, entryEvent, logOf, replied } from '../support/log-entries.ts';

const asking: StepEvent = {
  type: 'waiting',
  wait: { type: 'model', runtime: 'anthropic:claude' as RuntimeName, attempt: 1, mostAttempts: 4 },
};
const status = (text: string): StepEvent => ({ type: 'status', text });
const says = (text: string): StepEvent => ({ type: 'text.delta', text });

/** A screen of one line, and whatever words stand in it. */
class OneLine implements Disposable {
  readonly clock = new ManualClock();
  readonly line: LiveLine;
  columns: number | undefined = 60;
  isMidLine = false;
  shown = '';
  endings = 0;

  constructor() {
    this.line = new LiveLine(this, this.clock);
  }

  draw(text: string): void {
    this.shown = text;
  }

  erase(): void {
    this.shown = '';
  }

  endLine(): void {
    if (this.isMidLine) this.endings += 1;
    this.isMidLine = false;
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  [Symbol.dispose](): void {
    this.line[Symbol.dispose]();
  }
}

test('a turn that was just begun shows life at once, then how long it takes, and after 30 s what it waits for', async () => {
  using screen = new OneLine();

  screen.line.begin();
  const atOnce = screen.shown;
  screen.line.follow(asking);
  await screen.pass(5);
  const soon = screen.shown;
  await screen.pass(36);
  const late = screen.shown;
  screen.line.follow(entryEvent(replied('Hi.')));

  assert.deepEqual([atOnce, soon, late], ['thinking…', 'thinking… 5 s', 'waiting for Anthropic, 41 s, try 1 of 4']);
  assert.equal(screen.shown, '');
});

test('words that come are left alone, and broken off only by a long silence', async () => {
  using screen = new OneLine();
  screen.line.begin();
  screen.line.follow(asking);
  screen.isMidLine = true;
  screen.line.follow(says('One'));

  await screen.pass(29);
  const [early, unbroken] = [screen.shown, screen.endings];
  await screen.pass(1);

  assert.deepEqual([early, unbroken], ['', 0]);
  assert.deepEqual([screen.shown, screen.endings], ['waiting for the model to go on, 30 s', 1]);
});

test('a command is shown while it runs, within one row that keeps the seconds, and a question has the last line to itself', async () => {
  using screen = new OneLine();
  screen.columns = 24;
  const suite = call('c1', 'npm test -- --watch=false');
  screen.line.begin();
  screen.line.follow(entryEvent(answered('', [suite])));
  screen.line.follow(entryEvent(called(suite)));
  await screen.pass(3);
  const running = screen.shown;

  screen.line.follow({ type: 'waiting', wait: { type: 'person' } });
  await screen.pass(40);

  assert.equal(running, 'running `npm test…, 3 s');
  assert.equal(screen.shown, '');
});

test('where no line can be taken away, a silence is explained once, and the next one again', () => {
  const said: string[] = [];
  const notes = new StatusNotes((text) => said.push(text));

  for (const event of [status('a, 30 s'), asking, status('a, 45 s'), says('Well'), status('b, 30 s')])
    notes.follow(event);

  assert.deepEqual(said, ['a, 30 s', 'b, 30 s']);
});

test('whoever comes to a turn that is under way sees what runs, and since when, at once', async () => {
  using screen = new OneLine();
  const at = screen.clock.now();
  await screen.pass(12);

  screen.line.goOn(
    logOf([claimed(), answered('', [call('1', 'sleep 60')]), called(call('1', 'sleep 60'))]).map((logged) => ({
      ...logged,
      at,
    })),
  );
  const atOnce = screen.shown;
  await screen.pass(2);

  assert.deepEqual([atOnce, screen.shown], ['running `sleep 60`, 12 s', 'running `sleep 60`, 14 s']);
});
