import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AsyncQueue } from '../../../src/base/async-queue.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { shortId } from '../../../src/base/ids.ts';
import type { PersonId } from '../../../src/base/ids.ts';
import { createTerminalChannel } from '../../../src/channels/terminal.ts';
import type { App, Seat } from '../../../src/cli/app-port.ts';
import { attachApp } from '../../../src/cli/attached/attach-app.ts';
import { exitCodeOfError } from '../../../src/cli/exit-codes.ts';
import { Talk } from '../../../src/cli/run/talk.ts';
import type { Outbound, TerminalInput } from '../../../src/model/channel.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { says, stallsAfter } from '../../support/model-script.ts';
import { openTelegramHouse } from '../../support/telegram-house.ts';
import type { TelegramHouse } from '../../support/telegram-house.ts';
import { anna } from '../../support/telegram-server.ts';
import { openSlowLine } from './slow-line.ts';

function socketOf({ home }: TelegramHouse): string {
  return join(home, 'state', 'gateway.sock');
}

async function attach(
  house: TelegramHouse,
  clock: Clock = systemClock,
  socketPath: string = socketOf(house),
): Promise<App> {
  const app = await attachApp({ socketPath, model: undefined, createChannel: createTerminalChannel, clock });
  if (app === undefined) throw new Error('no gateway listens');
  return app;
}

/** A seat whose person types what a test wants, and what they saw. */
class Person {
  readonly input = new AsyncQueue<TerminalInput>();
  readonly shown: string[] = [];
  readonly #chat: string;
  readonly #listeners = new Set<() => void>();

  constructor(chat = 'here') {
    this.#chat = chat;
  }

  get seat(): Seat {
    const port = {
      asks: 'no',
      read: (signal: AbortSignal) => {
        signal.addEventListener('abort', () => this.input.close(), { once: true });
        return this.input;
      },
      show: ({ text }: Outbound) => {
        this.shown.push(text);
        for (const listener of this.#listeners) listener();
        return Promise.resolve();
      },
      conclude: () => undefined,
    } as const;
    const address = { platform: 'terminal', account: 'local', chat: this.#chat, thread: '' };
    return { port, address, person: 'owner' as PersonId, workdir: '/tmp' };
  }

  async sees(wanted: RegExp | string, times = 1): Promise<void> {
    const fits = (text: string): boolean => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
    while (this.shown.filter(fits).length < times) {
      await new Promise<void>((resolve) => {
        this.#listeners.add(resolve);
      });
    }
  }
}

test('where nobody listens there is nothing to attach to', async () => {
  await using house = await openTelegramHouse({ script: [] });
  await house.close();

  const socketPath = socketOf(house);
  const options = { socketPath, model: undefined, createChannel: createTerminalChannel, clock: systemClock };

  assert.equal(await attachApp(options), undefined);
});

test('a terminal looks for a gateway that is gone for a minute, then it ends with a clear error', async () => {
  const clock = new ManualClock();
  await using house = await openTelegramHouse({ script: [stallsAfter(0, says('Never.'))] });
  await using app = await attach(house, clock);
  const person = new Person();
  const { gateway, lost } = await app.serveTerminal(person.seat, undefined);
  person.input.push({ type: 'line', text: 'hello' });
  await house.model.whenRequested(1);
  const session = await app.store.sessions.at(person.seat);
  const idle = assert.rejects(gateway.whenIdle(session.id), { code: 'gateway-gone' });
  await house.close();
  await person.sees(/Looking for it again/);

  await clock.whenSomeoneSleeps();
  clock.advance(59_000);
  await clock.whenSomeoneSleeps();
  clock.advance(2_000);

  await assert.rejects(lost, (thrown) => exitCodeOfError(thrown) === 69);
  await idle;
});

test('what was said while the gateway was gone is named when it is given up', async () => {
  const clock = new ManualClock();
  await using house = await openTelegramHouse({ script: [] });
  await using app = await attach(house, clock);
  const person = new Person();
  const served = await app.serveTerminal(person.seat, undefined);
  using talk = new Talk(served, person.seat);
  await house.close();
  await person.sees(/Looking for it again/);

  const said = talk.say('buy\nmilk').catch((thrown: unknown) => thrown);
  await clock.whenSomeoneSleeps();
  clock.advance(61_000);

  assert.match(String(await said), /did not come back; this was not sent: buy ⏎ milk$/);
  assert.equal(exitCodeOfError(await said), 69);
});

test('what nobody took in before the gateway was given up is not taken for dealt with', async () => {
  const clock = new ManualClock();
  await using house = await openTelegramHouse({ script: [] });
  await using app = await attach(house, clock);
  const person = new Person();
  const dealtWith: TerminalInput[] = [];
  const ended = Promise.withResolvers<void>();
  async function* read(): AsyncGenerator<TerminalInput, void> {
    try {
      for await (const input of person.input) {
        yield input;
        dealtWith.push(input);
      }
    } finally {
      ended.resolve();
    }
  }
  const { seat } = person;
  const { lost, isReachable } = await app.serveTerminal({ ...seat, port: { ...seat.port, read } }, undefined);
  assert.equal(isReachable(), true);
  await house.close();
  await person.sees(/Looking for it again/);
  assert.equal(isReachable(), false);
  person.input.push({ type: 'line', text: 'buy milk' });
  person.input.push({ type: 'line', text: 'and bread' });

  await clock.whenSomeoneSleeps();
  clock.advance(59_000);
  await clock.whenSomeoneSleeps();
  clock.advance(2_000);
  await assert.rejects(lost);
  await ended.promise;

  assert.deepEqual(dealtWith, []);
});

test('a gateway that comes back in time is found again, and the call that waited is answered', async () => {
  await using house = await openTelegramHouse({ script: [stallsAfter(0, says('Never.')), says('Here I am.')] });
  await using app = await attach(house);
  const person = new Person();
  const { gateway } = await app.serveTerminal(person.seat, undefined);
  const seen: string[] = [];
  using _watching = gateway.watch(person.seat.address, (_turn, event) => {
    if (event.type === 'entry') seen.push(`${event.logged.seq} ${event.logged.entry.type}`);
  });
  person.input.push({ type: 'line', text: 'hello' });
  await house.model.whenRequested(1);
  const session = await app.store.sessions.at(person.seat);
  const idle = gateway.whenIdle(session.id);
  await house.close();

  await house.open();
  await idle;

  await person.sees(/Here I am\./);
  assert.deepEqual(person.shown, [
    'The gateway does not answer any more. Looking for it again…',
    'The gateway is back.',
    'Here I am.',
  ]);
  // Each once and in order, also those that were written while nobody looked.
  const entries = await app.store.turns.after(session.id, 0);
  assert.deepEqual(
    seen,
    entries.slice(1).map(({ seq, entry }) => `${seq} ${entry.type}`),
  );
});

test('an answer that is completed while it is read up comes once: before its reply, and without its pieces behind it', async () => {
  await using house = await openTelegramHouse({ script: [stallsAfter(0, says('One two three.')), says('Next.')] });
  await using line = await openSlowLine(socketOf(house), join(house.home, 'line'));
  await using appOfFirst = await attach(house);
  const first = new Person();
  await appOfFirst.serveTerminal(first.seat, undefined);
  first.input.push({ type: 'line', text: 'count' });
  await house.model.whenRequested(1);
  const session = await appOfFirst.store.sessions.at(first.seat);
  await using app = await attach(house, systemClock, line.path);
  await app.store.turns.after(session.id, 0);
  const second = new Person();
  const seen: string[] = [];
  const show = (message: Outbound): Promise<void> => {
    seen.push(`shown: ${message.text}`);
    return second.seat.port.show(message);
  };
  const seat: Seat = { ...second.seat, port: { ...second.seat.port, show } };
  const { gateway } = await app.serveTerminal(seat, undefined);
  using _watching = gateway.watch(seat.address, (_turn, event) => {
    if (event.type === 'entry') seen.push(event.logged.entry.type);
    if (event.type === 'text.delta') seen.push(event.text);
  });

  const asked = line.holdBack('turns.after');
  const delivered = gateway.deliver(second.seat.address);
  await asked.held;
  house.model.release();
  await first.sees(/One two three\./);
  // All that was pushed before the answer to this has come with it.
  await app.store.sessions.at(seat);
  asked.letGo();
  await delivered;
  second.input.push({ type: 'line', text: 'and then?' });
  await second.sees(/Next\./);

  const whole = ['step.finished', 'turn.settled', 'shown: One two three.'];
  assert.deepEqual(seen.slice(0, 6), [...whole, 'turn.claimed', 'step.asked', 'Next.']);
});

test('a command that only looks ends at once when the gateway does', async () => {
  await using house = await openTelegramHouse({ script: [] });
  await using app = await attach(house);
  await house.close();

  await assert.rejects(app.store.sessions.list({ limit: 1 }), { code: 'gateway-gone' });
});

test('who sits in a session that its chat takes back is told, and can take it again', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  const { telegram } = house;
  telegram.say('hi');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));
  await using app = await attach(house);
  const person = new Person();
  await app.serveTerminal(person.seat, undefined);
  person.input.push({ type: 'line', text: '/resume hi' });
  await person.sees(/Going on with/);
  const { id } = await app.store.sessions.at(person.seat);
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes(`/resume ${shortId(id)}`)));

  telegram.say(`/resume ${shortId(id)}`);
  await person.sees(/takes it back/);
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('Going on with')));
  const before = await house.app.store.sessions.get(id);
  person.input.push({ type: 'line', text: `/resume ${shortId(id)}` });
  person.input.push({ type: 'line', text: '/title mine' });
  await person.sees(/mine/);

  assert.equal(before?.address.platform, 'telegram');
  const told = `“hi” is on Telegram now: what you write here begins a new conversation. /resume ${shortId(id)} takes it back.`;
  assert.ok(person.shown.includes(told));
  assert.equal((await app.store.sessions.at(person.seat)).id, id);
});

test('who sits in a session that another terminal takes over with /resume is told, and how to come back to it', async () => {
  await using house = await openTelegramHouse({ script: [says('Hello.'), says('Both of you.')] });
  await using appOfFirst = await attach(house);
  await using appOfSecond = await attach(house);
  await using appOfThird = await attach(house);
  const [first, second, third] = [new Person('one'), new Person('two'), new Person('three')];
  await appOfFirst.serveTerminal(first.seat, undefined);
  await appOfSecond.serveTerminal(second.seat, undefined);
  await appOfThird.serveTerminal(third.seat, undefined);
  third.input.push({ type: 'line', text: '/title elsewhere' });
  await third.sees(/elsewhere/);
  first.input.push({ type: 'line', text: 'hi' });
  await first.sees(/Hello\./);
  const { id } = await appOfFirst.store.sessions.at(first.seat);

  second.input.push({ type: 'line', text: `/resume ${id}` });
  await second.sees(/Going on with/);
  // Whatever was told before the answer to this is there with it.
  first.input.push({ type: 'line', text: '/title mine' });
  await first.sees(/mine/);

  assert.deepEqual(first.shown.slice(0, -1), [
    'Hello.',
    `Another terminal took ${id} over with /resume: what you type here now begins a new session. ` +
      `/resume ${id} takes it back; to be in it with the other one, leave and come with: talaria -r ${id}`,
  ]);
  // It is as told: who comes with -r sits beside the one who took it.
  await using appOfReturned = await attach(house);
  const { address } = await appOfReturned.store.sessions.resume(id);
  const returned = new Person(address.chat);
  await appOfReturned.serveTerminal(returned.seat, undefined);
  returned.input.push({ type: 'line', text: 'who is here?' });
  await second.sees(/Both of you\./);
  assert.ok(second.shown.includes('From another terminal: who is here?'));
  assert.equal(third.shown.length, 1);
});

test('who has a session open that is deleted beside them is told, at a terminal and in a chat', async () => {
  const script = [says('Hello.'), says('Hello, Anna.'), says('A new one.')];
  await using house = await openTelegramHouse({ script });
  await using appOfFirst = await attach(house);
  await using appOfSecond = await attach(house);
  await using beside = await attach(house);
  const [first, second] = [new Person('one'), new Person('two')];
  await appOfFirst.serveTerminal(first.seat, undefined);
  await appOfSecond.serveTerminal(second.seat, undefined);
  first.input.push({ type: 'line', text: 'hi' });
  await first.sees(/Hello\./);
  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Hello, Anna.'));
  const open = await beside.store.sessions.list({ limit: 10, stage: 'begun' });
  const told = 'This session was deleted; what you say next begins a new one.';

  for (const { id } of open) await beside.store.sessions.delete(id);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes(told));
  await first.sees(/was deleted/);
  first.input.push({ type: 'line', text: 'hi again' });
  await first.sees(/A new one\./);
  second.input.push({ type: 'line', text: '/title elsewhere' });
  await second.sees(/elsewhere/);

  assert.equal(open.length, 2);
  assert.deepEqual(first.shown, ['Hello.', told, 'A new one.']);
  assert.equal(second.shown.length, 1);
});

test('a broken edit of the settings is told once in each chat that is open, and again when it is broken otherwise', async () => {
  await using house = await openTelegramHouse({ script: () => says('Yes.') });
  await using appOfFirst = await attach(house);
  await using appOfSecond = await attach(house);
  await using appOfLate = await attach(house);
  const [first, second, late] = [new Person('one'), new Person('two'), new Person('three')];
  await appOfFirst.serveTerminal(first.seat, undefined);
  await appOfSecond.serveTerminal(second.seat, undefined);
  const ask = async (person: Person): Promise<void> => {
    const seen = person.shown.filter((text) => text === 'Yes.').length;
    person.input.push({ type: 'line', text: 'well?' });
    await person.sees('Yes.', seen + 1);
  };
  const problemsOf = ({ shown }: Person): readonly string[] => shown.filter((text) => text.includes('until this is'));
  const settings = await readFile(join(house.home, 'config.json'), 'utf8');

  await writeFile(join(house.home, 'config.json'), '{ "model": ');
  for (const person of [first, first, second, second]) await ask(person);
  house.telegram.say('well?');
  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes('until this is mended')));
  // Whoever comes now has read the file, and said what is wrong with it.
  await appOfLate.serveTerminal(late.seat, undefined);
  await ask(late);

  assert.deepEqual(
    [first, second, late].map((person) => problemsOf(person).length),
    [1, 1, 0],
  );
  await writeFile(join(house.home, 'config.json'), '{ "agent": ');
  for (const person of [first, second, late]) await ask(person);
  assert.deepEqual(
    [first, second, late].map((person) => problemsOf(person).length),
    [2, 2, 1],
  );
  // What was mended is not told any more.
  await writeFile(join(house.home, 'config.json'), '[');
  await ask(first);
  await writeFile(join(house.home, 'config.json'), settings);
  await ask(second);
  assert.deepEqual(
    [first, second].map((person) => problemsOf(person).length),
    [3, 2],
  );
});
