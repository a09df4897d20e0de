import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anna } from '../../support/telegram-server.ts';
import { openTelegram, outbound, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const opening = 'The answer to your question is';

function show(bench: TelegramBench, text: string): Promise<void> {
  const unending = new AbortController().signal;
  return bench.channel.preview({ type: 'working', address: privateChat, text, status: '' }, unending);
}

/** A channel that is listened to until the signal aborts, and whose next call of a method hangs. */
async function openHanging(bench: TelegramBench, method: string): Promise<AbortController> {
  const stopping = new AbortController();
  bench.channel.receive(stopping.signal);
  await show(bench, opening);
  bench.server.fail(method, { type: 'waits', gate: new Promise(() => undefined) });
  return stopping;
}

test('a change that hangs holds up the reply behind it no longer than the end of the program allows', async () => {
  await using bench = await openTelegram();
  const stopping = await openHanging(bench, 'editMessageText');
  const growing = show(bench, `${opening} a`);
  bench.clock.advance(1000);
  await bench.server.whenCalled('editMessageText');

  const sending = bench.channel.send(outbound(`${opening} 42.`), stopping.signal);
  stopping.abort();
  bench.clock.advance(2000);

  // It stays in the outbox for the next start.
  assert.equal((await sending).type, 'retry');
  await growing;
});

test('a preview that hangs while it is taken off holds up the end no longer, and the reply was sent', async () => {
  await using bench = await openTelegram();
  const stopping = await openHanging(bench, 'deleteMessage');
  bench.clock.advance(61_000);

  const sending = bench.channel.send(outbound(`${opening} 42.`), stopping.signal);
  await bench.server.whenCalled('deleteMessage');
  stopping.abort();
  bench.clock.advance(2000);

  assert.equal((await sending).type, 'sent');
});

test('a preview is taken off at the very end of the program, too', async () => {
  await using bench = await openTelegram();
  const stopping = new AbortController();
  bench.channel.receive(stopping.signal);
  await show(bench, opening);
  bench.clock.advance(61_000);
  const gate = Promise.withResolvers<void>();
  bench.server.fail('sendMessage', { type: 'waits', gate: gate.promise });

  const sending = bench.channel.send(outbound(`${opening} 42.`), stopping.signal);
  await bench.server.whenCalled('sendMessage', 2);
  stopping.abort();
  gate.resolve();
  await sending;

  assert.deepEqual(
    bench.server.shown(anna.id).map(({ text }) => text),
    [`${opening} 42.`],
  );
});

test('a question whose end hangs is let go of when the program ends', async () => {
  await using bench = await openTelegram();
  const stopping = await openHanging(bench, 'editMessageText');
  const question = outbound('touch x', { kind: 'question', about: 'act', digest: 'abc' });
  const sent = await bench.channel.send(question, stopping.signal);
  assert.ok(sent.type === 'sent');

  const concluding = bench.channel.conclude(question, sent.platformId, 'Allowed.');
  await bench.server.whenCalled('editMessageText');
  stopping.abort();
  bench.clock.advance(2000);

  await concluding;
});
