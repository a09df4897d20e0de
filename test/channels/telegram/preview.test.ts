import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Address } from '../../../src/model/session.ts';
import { anna } from '../../support/telegram-server.ts';
import { dropsAfter, dropsBefore, floods, refuses } from '../../support/telegram-server-faults.ts';
import { openTelegram, outbound, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;
const opening = 'The answer to your question is';

function show(bench: TelegramBench, text: string, status = '', address: Address = privateChat): Promise<void> {
  return bench.channel.preview({ type: 'working', address, text, status }, signal);
}

function over(bench: TelegramBench): Promise<void> {
  return bench.channel.preview({ type: 'over', address: privateChat, reply: 'none' }, signal);
}

function texts(bench: TelegramBench): readonly string[] {
  return bench.server.shown(anna.id).map(({ text }) => text);
}

/** Lets the clock run until a preview has been shown. */
async function settle(bench: TelegramBench, showing: Promise<void>, ms = 1000): Promise<void> {
  bench.clock.advance(ms);
  await showing;
}

test('a turn that begins is shown as typing, again and again', async () => {
  await using bench = await openTelegram();

  await show(bench, '');
  await bench.server.whenCalled('sendChatAction');
  await bench.whenAsleepFor(4000);
  bench.clock.advance(4000);
  await bench.server.whenCalled('sendChatAction', 2);

  assert.deepEqual(bench.server.callsOf('sendChatAction')[0], { chat_id: String(anna.id), action: 'typing' });
  assert.deepEqual(texts(bench), []);
});

test('the typing is shown in the topic that the turn belongs to', async () => {
  await using bench = await openTelegram();
  bench.server.chats.open(-1001, 7);

  await show(bench, '', '', { ...privateChat, chat: '-1001', thread: '7' });

  assert.equal((await bench.server.whenCalled('sendChatAction'))['message_thread_id'], 7);
});

test('an answer grows in one message, and the reply completes that message', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  const first = texts(bench);
  const growing = show(bench, `${opening} **for`);
  await settle(bench, growing);
  const second = texts(bench);

  const receipt = await bench.send(`${opening} **forty-two**.`);

  assert.deepEqual([first, second], [[`${opening} ▉`], [`${opening} **for ▉`]]);
  const [shown, ...others] = bench.server.shown(anna.id);
  assert.deepEqual(others, []);
  assert.equal(shown?.text, `${opening} forty-two.`);
  assert.deepEqual(shown?.entities, [{ type: 'bold', offset: opening.length + 1, length: 9 }]);
  assert.deepEqual(receipt, { type: 'sent', platformId: String(shown?.message_id) });
});

test('a few characters are not worth a message yet', async () => {
  await using bench = await openTelegram();

  await show(bench, 'The');

  assert.deepEqual(texts(bench), []);
});

test('what grows slowly is shown as soon as there is enough of it', async () => {
  await using bench = await openTelegram();

  await show(bench, '');
  await show(bench, 'The');
  await show(bench, opening);

  assert.deepEqual(texts(bench), [`${opening} ▉`]);
});

test('a chat sees about one change a second, and always the newest', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  const shows = ['a', 'b', 'c'].map((letter) => show(bench, `${opening} ${letter}`));
  await bench.whenAsleepFor(1000);
  bench.clock.advance(1000);
  await Promise.all(shows);

  assert.deepEqual(
    bench.server.callsOf('editMessageText').map(({ text }) => text),
    [`${opening} c ▉`],
  );
});

test('a group, where Telegram allows less, sees a change every three seconds, of whichever conversation in it', async () => {
  await using bench = await openTelegram();
  bench.server.chats.open(-1001);
  const address = { ...privateChat, chat: '-1001' };
  await show(bench, opening, '', address);
  const growing = show(bench, `${opening} a`, '', address);
  const another = show(bench, opening, '', { ...address, member: 'telegram:43' } as Address);
  await bench.whenAsleepFor(3000, 2);
  await settle(bench, growing, 3000);
  await bench.whenAsleepFor(3000, 3);
  const shownBy = ['editMessageText', 'sendMessage'].map((method) => bench.server.callsOf(method).length);
  await settle(bench, another, 3000);

  assert.deepEqual(shownBy, [1, 1]);
  assert.equal(bench.server.callsOf('sendMessage').length, 2);
});

test('a flood is waited out in silence, and then the newest is shown', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  bench.server.fail('editMessageText', floods(30));
  const growing = show(bench, `${opening} a`);
  bench.clock.advance(1000);
  await bench.server.whenCalled('editMessageText');
  void show(bench, `${opening} b`);
  await bench.whenAsleepFor(30_000);
  await settle(bench, growing, 30_000);

  assert.deepEqual(texts(bench), [`${opening} b ▉`]);
  assert.deepEqual(bench.log, []);
});

test('what is being done is shown below the answer, or alone while there is none', async () => {
  await using bench = await openTelegram();

  await show(bench, '', 'waiting for Anthropic, 41 s\ntry 2 of 4');
  const alone = bench.server.shown(anna.id)[0];
  const growing = show(bench, opening, 'runs npm test');
  await settle(bench, growing);

  assert.equal(alone?.text, '⏳ waiting for Anthropic, 41 s try 2 of 4');
  assert.deepEqual(alone?.entities, [{ type: 'italic', offset: 0, length: alone?.text.length }]);
  assert.deepEqual(texts(bench), [`${opening} ▉\n\n⏳ runs npm test`]);
});

test('a turn that ends without a reply leaves what was shown of it, with nothing that looks unfinished', async () => {
  await using bench = await openTelegram();
  await show(bench, opening, 'runs npm test');

  await over(bench);

  assert.deepEqual(texts(bench), [opening]);
});

test('a turn whose reply is held up behind another takes away what was shown of it: the reply comes by itself', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);

  await bench.channel.preview({ type: 'over', address: privateChat, reply: 'sent-or-to-come' }, signal);
  await bench.send(`${opening} 42.`);

  assert.deepEqual(texts(bench), [`${opening} 42.`]);
});

test('a turn that ends before it said anything takes its status line with it', async () => {
  await using bench = await openTelegram();
  await show(bench, '', 'runs npm test');

  await over(bench);

  assert.deepEqual(texts(bench), []);
});

test('a call that we broke off ourselves is no reason to doubt the way to Telegram', async () => {
  await using bench = await openTelegram();
  const gate = Promise.withResolvers<void>();
  bench.server.fail('sendChatAction', { type: 'waits', gate: gate.promise });
  const stopping = new AbortController();
  await bench.channel.preview({ type: 'working', address: privateChat, text: '', status: '' }, stopping.signal);
  await bench.server.whenCalled('sendChatAction');

  stopping.abort();
  await setImmediate();
  await bench.send('hello');

  assert.deepEqual(bench.server.callsOf('getMe'), [], 'nothing was lost, so nothing is tried out');
  gate.resolve();
});

test('typing ends with the turn', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  await bench.server.whenCalled('sendChatAction');
  await bench.whenAsleepFor(4000);

  await bench.send(`${opening} 42.`);
  bench.clock.advance(10_000);
  await over(bench);
  await bench.send('and another thing');

  assert.equal(bench.server.callsOf('sendChatAction').length, 1);
});

test('nobody is shown as typing while a person is asked', async () => {
  await using bench = await openTelegram();
  await show(bench, '');
  await bench.server.whenCalled('sendChatAction');
  await bench.whenAsleepFor(4000);

  await bench.send('Run it?', { kind: 'question', digest: 'digest' });
  for (let wait = 0; wait < 3; wait += 1) {
    bench.clock.advance(4000);
    await bench.send('Take your time.', { kind: 'notice' });
  }
  const typedWhileAsking = bench.server.callsOf('sendChatAction').length;
  await show(bench, '');
  await bench.server.whenCalled('sendChatAction', 2);

  assert.equal(typedWhileAsking, 1);
});

test('a notice in the middle of a turn is a message of its own and leaves the preview alone', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  await bench.send('Noted.', { kind: 'notice' });

  assert.deepEqual(texts(bench), [`${opening} ▉`, 'Noted.']);
});

test('a preview that outgrows a message goes on in the next, and the reply completes them all', async () => {
  await using bench = await openTelegram();
  const [one, two] = ['first '.repeat(600).trim(), 'second '.repeat(500).trim()];
  const showing = show(bench, `${one}\n\n${two}`);
  await bench.whenAsleepFor(1000);
  await settle(bench, showing);
  const previewed = texts(bench);

  await bench.send(`${one}\n\n${two} and last`);

  assert.deepEqual(previewed, [one, `${two} ▉`]);
  assert.deepEqual(texts(bench), [one, `${two} and last`]);
});

test('a reply that turns out shorter than its preview leaves no remainder', async () => {
  await using bench = await openTelegram();
  const long = `${'first '.repeat(600).trim()}\n\n${'second '.repeat(500).trim()}`;
  const showing = show(bench, long);
  await bench.whenAsleepFor(1000);
  await settle(bench, showing);
  const previewed = texts(bench).length;

  await bench.send('Never mind.');
  await bench.server.whenShown(anna.id, (shown) => shown.length === 1);

  assert.equal(previewed, 2);
  assert.deepEqual(texts(bench), ['Never mind.']);
});

test('a reply waits for the change that is under way, so that nothing overtakes it', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  const gate = Promise.withResolvers<void>();
  bench.server.fail('editMessageText', { type: 'waits', gate: gate.promise });
  const growing = show(bench, `${opening} a`);
  bench.clock.advance(1000);
  await bench.server.whenCalled('editMessageText');

  const sending = bench.send(`${opening} 42.`);
  // Time enough for a change that would not wait.
  for (let send = 0; send < 3; send += 1) await bench.send('elsewhere', { address: { ...privateChat, chat: '43' } });
  const editsBefore = bench.server.callsOf('editMessageText').length;
  gate.resolve();
  await Promise.all([sending, growing]);

  assert.equal(editsBefore, 1);
  assert.deepEqual(texts(bench), [`${opening} 42.`]);
});

test('a reply whose preview someone deleted is sent anew', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  const [shown] = bench.server.shown(anna.id);
  bench.server.chats.delete({ chat_id: anna.id, message_id: shown?.message_id });

  const receipt = await bench.send(`${opening} 42.`);

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(texts(bench), [`${opening} 42.`]);
});

test('a reply whose preview cannot be changed, since the group became another, is sent where the group is now', async () => {
  await using bench = await openTelegram();
  const group = { ...privateChat, chat: '-5' };
  bench.server.chats.open(-5);
  bench.server.chats.open(-1005);
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  const moved = { type: 'answers', status: 400, description, parameters: { migrate_to_chat_id: -1005 } } as const;
  await show(bench, opening, '', group);
  bench.server.disturb = ({ parameters }) => (parameters['chat_id'] === '-5' ? moved : undefined);

  const receipt = await bench.channel.send({ ...outbound(`${opening} 42.`), address: group }, signal);

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(
    bench.server.shown(-1005).map(({ text }) => text),
    [`${opening} 42.`],
  );
});

test('a reply that is already shown word for word counts as sent', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  bench.server.fail('editMessageText', dropsAfter);
  const message = outbound(`${opening} 42.`);

  const receipts = [await bench.channel.send(message, signal), await bench.channel.send(message, signal)];

  assert.deepEqual(
    receipts.map(({ type }) => type),
    ['retry', 'sent'],
  );
  assert.deepEqual(texts(bench), [`${opening} 42.`]);
});

test('a reply that is held up still completes its preview later, the end of the turn in between', async () => {
  await using bench = await openTelegram();
  await show(bench, opening);
  bench.server.fail('editMessageText', floods(5));
  const message = outbound(`${opening} 42.`);

  const receipt = await bench.channel.send(message, signal);
  await over(bench);
  await bench.channel.send(message, signal);

  assert.deepEqual(receipt.type, 'retry');
  assert.deepEqual(texts(bench), [`${opening} 42.`]);
});

test('a preview that may or may not be there is not sent again, and the reply is', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', dropsAfter);

  await show(bench, opening);
  await show(bench, `${opening} 4`);
  await bench.send(`${opening} 42.`);

  assert.deepEqual(texts(bench), [`${opening} ▉`, `${opening} 42.`]);
});

for (const [name, fault] of [
  ['the chat is gone', refuses(403, 'Forbidden: bot was blocked by the user')],
  ['the connection is lost', dropsBefore],
] as const) {
  test(`a preview fails in silence when ${name}`, async () => {
    await using bench = await openTelegram();
    bench.server.fail('sendMessage', fault);

    await show(bench, opening);
    await show(bench, `${opening} a`);

    assert.equal(bench.server.callsOf('sendMessage').length, 1);
    assert.deepEqual(bench.log, []);
  });
}

test('two chats are shown side by side, each at its own pace', async () => {
  await using bench = await openTelegram();
  const other = { ...privateChat, chat: '43' };

  await show(bench, opening);
  await show(bench, opening, '', other);

  assert.deepEqual([bench.server.shown(42).length, bench.server.shown(43).length], [1, 1]);
});

test('nothing more is shown once the signal aborts', async () => {
  await using bench = await openTelegram();
  const stopping = new AbortController();
  const preview = { type: 'working', address: privateChat, text: opening, status: '' } as const;
  await bench.channel.preview(preview, stopping.signal);
  const growing = bench.channel.preview({ ...preview, text: `${opening} a` }, stopping.signal);

  stopping.abort();
  await growing;
  await bench.channel.preview({ ...preview, text: `${opening} b` }, stopping.signal);

  assert.deepEqual(bench.server.callsOf('editMessageText'), []);
});
