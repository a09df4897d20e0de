import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { anna } from '../../support/telegram-server.ts';
import {
  badGateway,
  cannotParseEntities,
  dropsAfter,
  dropsBefore,
  floods,
  internalError,
  messageIsTooLong,
  refuses,
} from '../../support/telegram-server-faults.ts';
import { openTelegram, outbound, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;

function texts(bench: TelegramBench): readonly string[] {
  return bench.server.shown(anna.id).map(({ text }) => text);
}

/** A long answer: so many paragraphs of about 3,000 characters. */
function paragraphs(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1} ${'word '.repeat(600).trim()}.`).join('\n\n');
}

test('a reply is shown with its styles, and the receipt names the message', async () => {
  await using bench = await openTelegram();

  const receipt = await bench.send('It is **done**.');

  const [shown] = bench.server.shown(anna.id);
  assert.equal(shown?.text, 'It is done.');
  assert.deepEqual(shown?.entities, [{ type: 'bold', offset: 6, length: 4 }]);
  assert.deepEqual(receipt, { type: 'sent', platformId: String(shown?.message_id) });
});

test('notices and questions are shown as they are, not as Markdown', async () => {
  await using bench = await openTelegram();

  await bench.send('removed *.txt and *.md', { kind: 'notice' });
  await bench.send('Run `rm *_old* *_new*`?', { kind: 'question', digest: hash('sha256', 'x') });

  assert.deepEqual(texts(bench), ['removed *.txt and *.md', 'Run `rm *_old* *_new*`?']);
  assert.deepEqual(
    bench.server.shown(anna.id).map(({ entities }) => entities),
    [[], []],
  );
});

test('a question has its buttons under its last piece', async () => {
  await using bench = await openTelegram();

  await bench.send(paragraphs(2), { kind: 'question', digest: hash('sha256', 'x') });

  const labels = bench.server.shown(anna.id).map(({ buttons }) => buttons?.inline_keyboard[0]?.map(({ text }) => text));
  assert.deepEqual(labels, [undefined, ['Allow', 'Deny']]);
});

test('a question that is settled says how it ended and has no more buttons', async () => {
  await using bench = await openTelegram();
  const question = outbound('Run it?', { kind: 'question', digest: hash('sha256', 'x') });
  const receipt = await bench.channel.send(question, signal);

  await bench.channel.conclude(question, receipt.type === 'sent' ? receipt.platformId : '', 'Allowed by Anna.');

  const [shown] = bench.server.shown(anna.id);
  assert.deepEqual([shown?.text, shown?.buttons], ['Run it?\n\nAllowed by Anna.', undefined]);
});

test('concluding a question that is gone harms nothing', async () => {
  await using bench = await openTelegram();

  await bench.channel.conclude(outbound('Run it?', { kind: 'question' }), '9999', 'Denied.');

  assert.deepEqual(texts(bench), []);
});

test('a message for a topic is shown in it, and beside it once the topic is gone', async () => {
  await using bench = await openTelegram();
  bench.server.chats.open(-1001, 7);

  await bench.send('in it', { address: { ...privateChat, chat: '-1001', thread: '7' } });
  const receipt = await bench.send('beside it', { address: { ...privateChat, chat: '-1001', thread: '8' } });

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(
    bench.server.shown(-1001).map(({ text, thread }) => [text, thread]),
    [
      ['in it', 7],
      ['beside it', undefined],
    ],
  );
});

test('a group that became a supergroup is followed there', async () => {
  await using bench = await openTelegram();
  bench.server.chats.open(-1002);
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  const parameters = { migrate_to_chat_id: -1002 };
  bench.server.fail('sendMessage', { type: 'answers', status: 400, description, parameters });

  const receipt = await bench.send('hello', { address: { ...privateChat, chat: '-5' } });

  assert.equal(receipt.type, 'sent');
  assert.equal(bench.server.shown(-1002)[0]?.text, 'hello');
});

test('styles that Telegram refuses are left out, and the words are shown', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', cannotParseEntities);

  const receipt = await bench.send('It is **done**.');

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(
    bench.server.shown(anna.id).map(({ text, entities }) => [text, entities]),
    [['It is done.', []]],
  );
});

test('styles that Telegram refuses where a reply completes its preview are left out there', async () => {
  await using bench = await openTelegram();
  const text = 'It is done, and you can look at it:';
  await bench.channel.preview({ type: 'working', address: privateChat, text, status: '' }, signal);
  bench.server.fail('editMessageText', cannotParseEntities);

  const receipt = await bench.send(`${text} **here**.`);

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(
    bench.server.shown(anna.id).map((shown) => [shown.text, shown.entities]),
    [[`${text} here.`, []]],
  );
});

test('a piece that Telegram finds too long is sent in halves', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', messageIsTooLong);

  const receipt = await bench.send('word '.repeat(300));

  assert.equal(receipt.type, 'sent');
  assert.equal(texts(bench).length, 2);
  assert.equal(texts(bench).join(' '), 'word '.repeat(300).trim());
});

for (const { name, description, status } of [
  { name: 'the chat does not exist', status: 400, description: 'Bad Request: chat not found' },
  { name: 'the person blocked the bot', status: 403, description: 'Forbidden: bot was blocked by the user' },
]) {
  test(`a message is refused for good when ${name}`, async () => {
    await using bench = await openTelegram();
    bench.server.chats.close(anna.id, status, description);

    assert.deepEqual(await bench.send('hello'), { type: 'refused', reason: description });
    assert.equal(bench.server.callsOf('sendMessage').length, 1);
  });
}

test('a message waits as long as Telegram asks for', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', floods(7));

  const receipt = await bench.send('hello');

  assert.deepEqual(receipt, { type: 'retry', afterMs: 7000, reason: 'Too Many Requests: retry after 7' });
});

test('a message is tried again, unmarked, where Telegram says that it could not send it', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', internalError);
  const message = outbound('hello');

  const receipt = await bench.channel.send(message, signal);
  await bench.channel.send(message, signal);

  assert.equal(receipt.type, 'retry');
  assert.deepEqual(texts(bench), ['hello']);
});

test('a message is tried again, unmarked, where nobody could be reached', async () => {
  await using bench = await openTelegram();
  await bench.server[Symbol.asyncDispose]();

  const receipt = await bench.send('hello');

  assert.deepEqual(receipt, { type: 'retry', afterMs: 5000, reason: 'Telegram did not answer (ECONNREFUSED)' });
  await bench.server.listen();
});

test('while Telegram cannot be reached nothing is sent into the dark, and the message keeps', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', dropsBefore);
  bench.server.fail('getMe', dropsBefore, dropsBefore);
  const message = outbound('hello');
  const repeat = { ...message, copy: 'repeat' } as const;

  const receipts = [await bench.channel.send(message, signal)];
  for (let pass = 0; pass < 3; pass += 1) receipts.push(await bench.channel.send(repeat, signal));

  assert.deepEqual(
    receipts.map(({ type }) => type),
    ['unknown', 'retry', 'retry', 'sent'],
  );
  assert.equal(bench.server.callsOf('sendMessage').length, 2);
  assert.deepEqual(texts(bench), ['(sent again: you may have seen this)\nhello']);
});

test('a message waits for a new token where the old one is refused', async () => {
  await using bench = await openTelegram();
  bench.server.revokeToken();

  const receipt = await bench.send('hello');

  assert.equal(receipt.type, 'retry');
});

for (const [name, fault, arrived] of [
  ['the connection was lost before anything was done', dropsBefore, 0],
  ['the connection was lost after it was done', dropsAfter, 1],
  ['something in between answered', badGateway, 0],
  ['something in between answered in the form of the API', refuses(502, 'Bad Gateway'), 0],
] as const) {
  test(`nobody can tell whether a message arrived when ${name}, and the second copy says so`, async () => {
    await using bench = await openTelegram();
    bench.server.fail('sendMessage', fault);
    const message = outbound('hello');

    const receipt = await bench.channel.send(message, signal);
    const arrivedAtFirst = texts(bench).length;
    await bench.channel.send({ ...message, copy: 'repeat' }, signal);

    assert.equal(receipt.type, 'unknown');
    assert.equal(arrivedAtFirst, arrived);
    assert.deepEqual(texts(bench).at(-1), '(sent again: you may have seen this)\nhello');
  });
}

test('the mark of a second copy stands in italics before the styles of the text', async () => {
  await using bench = await openTelegram();

  await bench.send('**hello**', { copy: 'repeat' });

  assert.deepEqual(bench.server.shown(anna.id)[0]?.entities, [
    { type: 'italic', offset: 0, length: 36 },
    { type: 'bold', offset: 37, length: 5 },
  ]);
});

test('a long answer is sent in pieces, in order', async () => {
  await using bench = await openTelegram();

  const receipt = await bench.send(paragraphs(3));

  assert.deepEqual(texts(bench), paragraphs(3).split('\n\n'));
  assert.deepEqual(receipt, { type: 'sent', platformId: String(bench.server.shown(anna.id).at(-1)?.message_id) });
});

test('a long answer that was held up goes on with the piece that was not sent', async () => {
  await using bench = await openTelegram();
  const gate = Promise.resolve();
  bench.server.fail('sendMessage', { type: 'waits', gate }, floods(2));
  const message = outbound(paragraphs(3));

  const receipt = await bench.channel.send(message, signal);
  await bench.channel.send(message, signal);

  assert.equal(receipt.type, 'retry');
  assert.deepEqual(texts(bench), paragraphs(3).split('\n\n'));
});

test('of a long answer only the piece that nobody can tell about comes twice, and is marked', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', { type: 'waits', gate: Promise.resolve() }, dropsAfter, floods(1));
  const message = outbound(paragraphs(3));
  const [one, two, three] = paragraphs(3).split('\n\n');

  const receipts = [
    await bench.channel.send(message, signal),
    await bench.channel.send({ ...message, copy: 'repeat' }, signal),
    await bench.channel.send({ ...message, copy: 'repeat' }, signal),
  ];

  assert.deepEqual(
    receipts.map(({ type }) => type),
    ['unknown', 'retry', 'sent'],
  );
  assert.deepEqual(texts(bench), [one, two, `(sent again: you may have seen this)\n${two}`, three]);
});

test('nothing is sent once the program is ending, and the message keeps', async () => {
  await using bench = await openTelegram();

  const receipt = await bench.channel.send(outbound('hello'), AbortSignal.abort());

  assert.deepEqual(receipt, { type: 'retry', afterMs: 0, reason: 'the program is ending' });
  assert.deepEqual(bench.server.calls, []);
});

test('a message that has left is waited for when the program ends, so that its outcome is known', async () => {
  await using bench = await openTelegram();
  const gate = Promise.withResolvers<void>();
  bench.server.fail('sendMessage', { type: 'waits', gate: gate.promise });
  const stopping = new AbortController();

  const sending = bench.channel.send(outbound('hello'), stopping.signal);
  await bench.server.whenCalled('sendMessage');
  stopping.abort();
  gate.resolve();

  assert.equal((await sending).type, 'sent');
});

test('a message that hangs is let go of when the program ends, and nobody can tell', async () => {
  await using bench = await openTelegram();
  const gate = Promise.withResolvers<void>();
  bench.server.fail('sendMessage', { type: 'waits', gate: gate.promise });
  const stopping = new AbortController();

  const sending = bench.channel.send(outbound('hello'), stopping.signal);
  await bench.server.whenCalled('sendMessage');
  stopping.abort();
  bench.clock.advance(2000);

  assert.equal((await sending).type, 'unknown');
  gate.resolve();
});

test('an answer without words is shown as such', async () => {
  await using bench = await openTelegram();

  await bench.send(' \n ');

  assert.deepEqual(texts(bench), ['(no text)']);
});

test('a right that is missing is a refusal with the words of Telegram', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', refuses(400, 'Bad Request: not enough rights to send text messages to the chat'));

  assert.match(JSON.stringify(await bench.send('hello')), /refused.*not enough rights/);
});
