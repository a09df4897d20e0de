import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../../../src/base/log.ts';
import type { LiveMessages } from '../../../src/model/live-messages.ts';
import { FileLiveMessages } from '../../../src/store/home/live-messages.ts';
import { anna, ben } from '../../support/telegram-server.ts';
import { dropsBefore, floods, refuses } from '../../support/telegram-server-faults.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { openTelegram, outbound, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;
const reply = 'This is long enough to be shown while it is written.';
const asked = { kind: 'question', digest: 'digest' } as const;

/** A bot that notes what it shows, and lives that come after it. */
async function openLives(): Promise<{
  readonly bench: TelegramBench;
  readonly begin: () => TelegramBench['channel'];
  readonly left: () => LiveMessages['left'];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await makeTempFolder());
  const file = join(folder.path, 'live.json');
  const open = (): FileLiveMessages => new FileLiveMessages(file, silentLog);
  const bench = resources.use(await openTelegram({ live: open() }));
  const stopping = new AbortController();
  resources.defer(() => stopping.abort());
  const begin = (): TelegramBench['channel'] => {
    const channel = bench.restart({ live: open() });
    void channel.receive(stopping.signal)[Symbol.asyncIterator]().next();
    return channel;
  };
  return { bench, begin, left: () => open().left, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function show({ channel }: Pick<TelegramBench, 'channel'>, text: string, status = ''): Promise<void> {
  return channel.preview({ type: 'working', address: privateChat, text, status }, signal);
}

function texts({ server }: TelegramBench): readonly string[] {
  return server.shown(anna.id).map(({ text }) => text);
}

test('what a run showed of a turn when it died goes at the next start', async () => {
  await using lives = await openLives();
  await show(lives.bench, '', 'terminal sleep 15');
  const before = texts(lives.bench);

  lives.begin();
  await lives.bench.server.whenShown(anna.id, (shown) => shown.length === 0);

  assert.deepEqual(before, ['⏳ terminal sleep 15']);
});

test('a question that a run asked when it died loses its buttons, and says so when it is asked anew', async () => {
  await using lives = await openLives();
  const { bench } = lives;
  await bench.send('Run it?', asked);
  await show(bench, '', 'waiting'); // Its note is behind that of the question.

  const next = lives.begin();
  await bench.server.whenShown(anna.id, () => bench.server.shown(anna.id).every(({ buttons }) => !buttons));
  await next.send(outbound('Run it?', asked), signal);
  await bench.server.whenShown(anna.id, (each) => each.length === 2 && each[0] !== 'Run it?');

  const shown = bench.server.shown(anna.id).map(({ text, buttons }) => [text, buttons !== undefined]);
  assert.deepEqual(shown, [
    ['Run it?\n\nAsked anew below.', false],
    ['Run it?', true],
  ]);
});

test('a question that has ended is left alone by the next start, and so is one of another bot', async () => {
  await using lives = await openLives();
  const { bench } = lives;
  const receipt = await bench.send('Run it?', asked);
  assert.ok(receipt.type === 'sent');
  await bench.channel.conclude(outbound('Run it?', asked), receipt.platformId, 'Allowed.');
  const address = { ...privateChat, account: '1', chat: String(ben.id) };
  await bench.channel.preview({ type: 'working', address, text: '', status: 'of another' }, signal);
  await show(bench, '', 'of this one');

  lives.begin();
  const shown = await bench.server.whenShown(anna.id, (each) => each.length === 1);

  assert.deepEqual(shown, ['Run it?\n\nAllowed.']);
  assert.deepEqual(bench.server.callsOf('editMessageReplyMarkup'), []);
  assert.equal(bench.server.shown(ben.id).length, 1);
});

test('an answer that took the place of what was shown is never taken off by the next start', async () => {
  await using lives = await openLives();
  const { bench } = lives;
  await show(bench, reply);
  // The program dies as soon as the answer is there.
  const held = Promise.withResolvers<void>();
  bench.server.fail('editMessageText', { type: 'waits', gate: held.promise });
  const sending = bench.send(reply);
  await bench.server.whenCalled('editMessageText');

  assert.deepEqual(lives.left(), []);
  held.resolve();
  await sending;
  assert.deepEqual(texts(bench), [reply]);
});

test('what is left of a preview that was longer than its answer is noted until it is gone', async () => {
  await using lives = await openLives();
  const { bench } = lives;
  const showing = show(bench, `${'first '.repeat(600)}\n\n${'second '.repeat(500)}`);
  await bench.whenAsleepFor(1000);
  bench.clock.advance(1000);
  await showing;
  const held = Promise.withResolvers<void>();
  bench.server.fail('deleteMessage', { type: 'waits', gate: held.promise });

  await bench.send(reply);
  const [, second] = bench.server.shown(anna.id);

  assert.deepEqual(
    lives.left().map(({ id }) => id),
    [second?.message_id],
  );
  held.resolve();
  assert.deepEqual(await bench.server.whenShown(anna.id, (shown) => shown.length === 1), [reply]);
});

test('where it cannot be noted that what is shown becomes the answer, the answer is a message of its own', async () => {
  const live: LiveMessages = { left: [], add: () => Promise.resolve(), remove: () => Promise.resolve(false) };
  await using bench = await openTelegram({ live });
  await show(bench, reply);

  await bench.send(reply);
  await bench.server.whenShown(anna.id, (shown) => shown.length === 1);

  assert.deepEqual(texts(bench), [reply]);
  assert.deepEqual(bench.server.callsOf('editMessageText'), []);
});

test('a turn that is over leaves nothing to tidy up, with a reply or without', async () => {
  await using lives = await openLives();
  const { bench } = lives;
  for (const ending of ['replied', 'stopped', 'silent'] as const) {
    await show(bench, ending === 'silent' ? '' : reply, 'runs npm test');
    if (ending === 'replied') await bench.send(reply);
    const over = ending === 'replied' ? 'sent-or-to-come' : 'none';
    await bench.channel.preview({ type: 'over', address: privateChat, reply: over }, signal);
    bench.clock.advance(1000);
  }

  assert.deepEqual(lives.left(), []);
  assert.deepEqual(texts(bench), [reply, reply]);
});

for (const [name, faults, stop] of [
  ['the chat was flooded', [floods(30)], signal],
  ['the program ended', [], AbortSignal.abort()],
] as const) {
  test(`what a stopped turn left looking unfinished, since ${name}, goes at the next start`, async () => {
    await using lives = await openLives();
    const { bench } = lives;
    await show(bench, reply);
    bench.server.fail('editMessageText', ...faults);

    await bench.channel.preview({ type: 'over', address: privateChat, reply: 'none' }, stop);
    const stood = texts(bench);
    lives.begin();
    await bench.server.whenShown(anna.id, (shown) => shown.length === 0);

    assert.deepEqual(stood, [`${reply} ▉`]);
  });
}

test('what is too old to be deleted says that it is outdated', async () => {
  await using lives = await openLives();
  await show(lives.bench, '', 'terminal sleep 15');
  lives.bench.server.fail('deleteMessage', refuses(400, "Bad Request: message can't be deleted for everyone"));

  lives.begin();

  await lives.bench.server.whenShown(anna.id, ([text]) => text?.startsWith('(It was shown here') === true);
});

for (const [name, fault, waitMs] of [
  ['the chat is flooded', floods(30), 30_000],
  ['the connection is lost', dropsBefore, 5000],
] as const) {
  test(`what could not be tidied up since ${name} is tried again`, async () => {
    await using lives = await openLives();
    const { bench } = lives;
    await show(bench, '', 'terminal sleep 15');
    bench.server.fail('deleteMessage', fault);

    lives.begin();
    await bench.whenAsleepFor(waitMs);
    bench.clock.advance(waitMs);

    await bench.server.whenShown(anna.id, (shown) => shown.length === 0);
  });
}
