import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SessionId } from '../../../src/base/ids.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { longestFrame, protocolVersion, readFrames } from '../../../src/gateway/attach/frames.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { openTelegramHouse } from '../../support/telegram-house.ts';
import type { TelegramHouse } from '../../support/telegram-house.ts';

/** A terminal that says exactly what a test wants. */
class RawTerminal implements Disposable {
  readonly connection: Socket;
  readonly frames: AsyncGenerator<JsonObject, void>;
  #id = 0;

  constructor({ home }: TelegramHouse) {
    this.connection = createConnection(join(home, 'state', 'gateway.sock'));
    this.connection.on('error', () => this.connection.destroy());
    this.frames = readFrames(this.connection);
  }

  send(frame: object): void {
    this.connection.write(`${JSON.stringify(frame)}\n`);
  }

  async next(): Promise<JsonObject> {
    const { value } = await this.frames.next();
    if (value === undefined) throw new Error('the gateway hung up');
    return value;
  }

  async hello(): Promise<JsonObject> {
    this.send({ type: 'hello', protocol: protocolVersion });
    return await this.next();
  }

  /** Makes a call and skips whatever comes before its answer. */
  async call(method: string, params: object): Promise<JsonObject> {
    const id = (this.#id += 1);
    this.send({ type: 'call', id, method, params });
    for (;;) {
      const frame = await this.next();
      if (frame['id'] === id) return frame;
    }
  }

  async until(fits: (frame: JsonObject) => boolean): Promise<JsonObject> {
    for (;;) {
      const frame = await this.next();
      if (fits(frame)) return frame;
    }
  }

  [Symbol.dispose](): void {
    this.connection.destroy();
  }
}

function whenClosed(connection: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (connection.closed) resolve();
    else connection.once('close', () => resolve());
  });
}

function whenDrained(connection: Socket): Promise<void> {
  return new Promise((resolve) => {
    connection.once('drain', () => resolve());
  });
}

const seat = { chat: 'here', workdir: '/tmp', asks: 'yes' };
const said = { messageId: 'one', text: 'hello', images: [], delivery: 'first' };

test('a terminal that speaks another version is told which one is spoken here, and let go', async () => {
  await using house = await openTelegramHouse({ script: [] });
  using terminal = new RawTerminal(house);

  terminal.send({ type: 'hello', protocol: protocolVersion + 1 });

  assert.deepEqual(await terminal.next(), { type: 'refused', protocol: protocolVersion });
  assert.equal((await terminal.frames.next()).done, true);
});

test('whoever sends garbage is cut off, and the next terminal is served', async () => {
  await using house = await openTelegramHouse({ script: [] });
  for (const garbage of ['no json\n', '[]\n', '{"type":"call","id":"one"}\n', '\n', '\u0000\u0001\n']) {
    using terminal = new RawTerminal(house);
    assert.equal((await terminal.hello())['type'], 'welcome');
    terminal.connection.write(garbage);
    await whenClosed(terminal.connection);
  }

  using next = new RawTerminal(house);

  assert.equal((await next.hello())['type'], 'welcome');
});

test('before it has said hello, nobody can send more than a little', async () => {
  await using house = await openTelegramHouse({ script: [] });
  using terminal = new RawTerminal(house);

  terminal.connection.write('x'.repeat(100_000));

  assert.deepEqual(await terminal.next(), { ok: false, text: 'the line is too long' });
});

test('a frame without end is not waited for: whoever sends it is cut off', async () => {
  await using house = await openTelegramHouse({ script: [] });
  using terminal = new RawTerminal(house);
  await terminal.hello();
  const closed = whenClosed(terminal.connection);
  const chunk = 'x'.repeat(1024 * 1024);

  for (let sent = 0; sent <= longestFrame + chunk.length && !terminal.connection.destroyed; sent += chunk.length) {
    if (!terminal.connection.write(chunk)) await Promise.race([whenDrained(terminal.connection), closed]);
  }

  await closed;
});

test('a call that is unknown, incomplete or out of place is refused by name, and the line stays open', async () => {
  await using house = await openTelegramHouse({ script: [] });
  using terminal = new RawTerminal(house);
  await terminal.hello();

  const answers = [
    await terminal.call('store.drop', {}),
    await terminal.call('toString', {}),
    await terminal.call('turns.after', { sessionId: 'ses_1' }),
    await terminal.call('seat.take', { ...seat, workdir: 'somewhere' }),
    await terminal.call('seat.say', said),
    await terminal.call('sessions.resume', { sessionId: 'ses_1' }),
  ];
  const fine = await terminal.call('sessions.list', { limit: 1 });

  assert.deepEqual(
    answers.map(({ code }) => code),
    ['unsupported', 'unsupported', 'bad-usage', 'bad-usage', 'bad-usage', 'not-found'],
  );
  assert.equal(answers[2]?.['message'], 'turns.after: seq is missing');
  assert.deepEqual(fine, { type: 'returned', id: 7, value: [] });
});

test('a terminal speaks as the user of the machine, whoever it says it is', async () => {
  await using house = await openTelegramHouse({ script: [says('Hello.')] });
  using terminal = new RawTerminal(house);
  await terminal.hello();
  await terminal.call('seat.take', { ...seat, person: 'telegram:42', platform: 'telegram' });

  const { value } = await terminal.call('seat.say', { ...said, person: 'telegram:42' });
  const { sessionId } = (value as { turn: { sessionId: SessionId } }).turn;
  const session = await house.app.store.sessions.get(sessionId);
  const [admitted] = await house.app.store.turns.after(sessionId, 0);

  assert.deepEqual([session?.person, session?.address.platform], ['owner', 'terminal']);
  assert.equal(admitted?.entry.type === 'turn.admitted' && admitted.entry.person, 'owner');
});

test('the same message said again after a break becomes no second turn, and is answered with its turn', async () => {
  await using house = await openTelegramHouse({ script: [says('Hello.')] });
  using terminal = new RawTerminal(house);
  await terminal.hello();
  await terminal.call('seat.take', seat);

  const first = await terminal.call('seat.say', said);
  const repeat = await terminal.call('seat.say', { ...said, delivery: 'repeat' });

  assert.equal((first['value'] as { type: string }).type, 'admitted');
  assert.deepEqual(repeat['value'], first['value']);
});

test('a terminal that stops reading is cut off, and the turn does not wait for it', async () => {
  const long = Array.from({ length: 40 }, () => 'n'.repeat(250_000)).join(' ');
  await using house = await openTelegramHouse({ script: [says(long)] });
  using stuck = new RawTerminal(house);
  await stuck.hello();
  await stuck.call('seat.take', { ...seat, asks: 'no' });
  const { value } = await stuck.call('seat.say', said);
  const { turn } = value as { turn: { sessionId: SessionId } };

  using other = new RawTerminal(house);
  await other.hello();
  await other.call('session.whenIdle', { sessionId: turn.sessionId });

  const entries = await house.app.store.turns.after(turn.sessionId, 0);
  assert.equal(entries.at(-1)?.entry.type, 'turn.settled');
  const late = await Array.fromAsync(stuck.frames).catch(() => []);
  assert.ok(!late.some(({ type }) => type === 'show'));
});

const clarifies = callsTool('clarify', { question: 'Which colour?', choices: ['red', 'blue'] });

function isQuestion({ type, message }: JsonObject): boolean {
  return type === 'show' && isJsonObject(message) && message['kind'] === 'question';
}

test('what the model wants to know is shown to a terminal that comes later, and answered from there', async () => {
  await using house = await openTelegramHouse({ script: [clarifies, says('Painted.')] });
  using first = new RawTerminal(house);
  await first.hello();
  await first.call('seat.take', seat);
  await first.call('seat.say', said);
  await first.until(isQuestion);

  using second = new RawTerminal(house);
  await second.hello();
  await second.call('seat.take', seat);
  second.send({ type: 'call', id: 100, method: 'seat.deliver', params: {} });
  await second.until(isQuestion);
  const answered = await second.call('seat.say', { ...said, messageId: 'two', text: '2' });
  await house.model.whenRequested(2);

  assert.deepEqual(answered['value'], { type: 'answered' });
  assert.match(house.model.requests[1]?.body ?? '', /The user answers: blue/);
});

test('a terminal that leaves takes the questions of the model with it: the turn does not wait for nobody', async () => {
  await using house = await openTelegramHouse({ script: [clarifies, says('Painted.')] });
  using terminal = new RawTerminal(house);
  await terminal.hello();
  await terminal.call('seat.take', seat);
  await terminal.call('seat.say', said);
  await terminal.until(isQuestion);

  terminal.connection.destroy();
  await house.model.whenRequested(2);

  assert.match(house.model.requests[1]?.body ?? '', /Nobody can be asked here/);
});
