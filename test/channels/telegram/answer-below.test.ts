import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../../src/model/session.ts';
import { anna } from '../../support/telegram-server.ts';
import { floods } from '../../support/telegram-server-faults.ts';
import { next, openTelegram, outbound, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;
const opening = 'The answer to your question is';

function show(bench: TelegramBench, text: string, status = '', address: Address = privateChat): Promise<void> {
  return bench.channel.preview({ type: 'working', address, text, status }, signal);
}

function texts(bench: TelegramBench): readonly string[] {
  return bench.server.shown(anna.id).map(({ text }) => text);
}

/** What is shown once nothing is that looks as if something were being done. */
function textsAtRest({ server }: TelegramBench): Promise<readonly string[]> {
  return server.whenShown(anna.id, (shown) => shown.every((text) => !text.startsWith('⏳')));
}

for (const [what, happens] of [
  ['a notice', (bench) => bench.send('Noted.', { kind: 'notice' })],
  ['a question', (bench) => bench.send('Run it?', { kind: 'question', digest: 'digest' })],
  ['a file', (bench) => bench.send('', { kind: 'notice', files: [{ path: '/none', name: 'none', kind: 'file' }] })],
] as const satisfies readonly (readonly [string, (bench: TelegramBench) => Promise<unknown>])[]) {
  test(`an answer comes below ${what} that was sent since its preview began, and the preview goes`, async () => {
    await using bench = await openTelegram();
    await show(bench, '', 'runs npm test');
    await happens(bench);
    const between = texts(bench).slice(1);

    const receipt = await bench.send('All green.');

    assert.deepEqual(await textsAtRest(bench), [...between, 'All green.']);
    assert.deepEqual(receipt, { type: 'sent', platformId: String(bench.server.shown(anna.id).at(-1)?.message_id) });
  });
}

test('an answer comes below what someone wrote since its preview began', async () => {
  await using bench = await openTelegram();
  const received = bench.receive();
  await show(bench, '', 'runs npm test');
  const [preview] = bench.server.shown(anna.id);
  const said = bench.server.say('and then?');
  await next(received);

  await bench.send('All green.');
  await textsAtRest(bench);

  const [answer, ...others] = bench.server.shown(anna.id);
  assert.deepEqual([answer?.text, others], ['All green.', []]);
  assert.ok(Number(preview?.message_id) < said.message_id && said.message_id < Number(answer?.message_id));
});

test('an answer takes the place of its preview where something was written only in another topic', async () => {
  await using bench = await openTelegram();
  bench.server.chats.open(-1001, 7);
  bench.server.chats.open(-1001, 8);
  const address = { ...privateChat, chat: '-1001', thread: '7' };
  await show(bench, opening, '', address);
  await bench.send('Elsewhere.', { kind: 'notice', address: { ...address, thread: '8' } });

  await bench.send(`${opening} 42.`, { address });

  const shown = bench.server.shown(-1001).map(({ text }) => text);
  assert.deepEqual(shown, [`${opening} 42.`, 'Elsewhere.']);
});

test('an answer that was waited for more than a minute rings the phone: it is a new message, and the preview goes', async () => {
  await using bench = await openTelegram();
  await show(bench, '', 'runs npm test');
  bench.clock.advance(60_001);

  await bench.send('All green.');

  assert.deepEqual(await textsAtRest(bench), ['All green.']);
  assert.deepEqual(bench.server.callsOf('editMessageText'), []);
});

test('an answer that comes below its preview and is held up is sent once, and the preview goes only then', async () => {
  await using bench = await openTelegram();
  await show(bench, '', 'runs npm test');
  await bench.send('Noted.', { kind: 'notice' });
  bench.server.fail('sendMessage', floods(5));
  const message = outbound('All green.');

  const receipt = await bench.channel.send(message, signal);
  const heldUp = texts(bench);
  await bench.channel.preview({ type: 'over', address: privateChat, reply: 'sent-or-to-come' }, signal);
  await bench.channel.send(message, signal);

  assert.equal(receipt.type, 'retry');
  assert.deepEqual(heldUp, ['⏳ runs npm test', 'Noted.']);
  assert.deepEqual(await textsAtRest(bench), ['Noted.', 'All green.']);
});

test('an answer has arrived before what was shown of it is taken off, however long that takes', async () => {
  await using bench = await openTelegram();
  await show(bench, '', 'runs npm test');
  await bench.send('Noted.', { kind: 'notice' });
  const gate = Promise.withResolvers<void>();
  bench.server.fail('deleteMessage', { type: 'waits', gate: gate.promise });

  const receipt = await bench.send('All green.');
  const arrived = texts(bench);
  gate.resolve();

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(arrived, ['⏳ runs npm test', 'Noted.', 'All green.']);
  assert.deepEqual(await textsAtRest(bench), ['Noted.', 'All green.']);
});
