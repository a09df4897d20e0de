import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Faults } from '../../src/model/faults.ts';
import { textPart } from '../../src/model/message.ts';
import { callsTool, delays, says } from '../support/model-script.ts';
import { needsSandbox } from '../support/sandbox.ts';
import { openWebHouse } from '../support/web-house.ts';
import type { WebHouse } from '../support/web-house.ts';
import { isReply, itemTexts } from '../support/web-events.ts';
import type { WebEvent, WebEvents } from '../support/web-events.ts';

async function history(house: WebHouse, chat = 'one'): Promise<readonly string[]> {
  const { json } = await house.ask(`/api/chats/${chat}/history`, { headers: await house.asProgram() });
  const items = json['items'] as readonly { readonly type: string; readonly text: string }[];
  return items.map(({ type, text }) => `${type}: ${text}`);
}

function lastId({ events }: WebEvents): string {
  return events.findLast(({ id }) => id !== undefined)?.id ?? '';
}

test('a message is taken in, and its answer arrives on the stream, growing first and then as it is kept', async () => {
  await using house = await openWebHouse({ script: [says('Hello there.')] });
  using stream = await house.follow('one');
  await stream.when(({ event }) => event === 'standing');

  const sent = await house.say('hi');
  await stream.when(({ event }) => event === 'over');

  assert.equal(sent.json['outcome'], 'admitted');
  assert.deepEqual(itemTexts(stream.events), ['user: hi', 'reply: Hello there.']);
  const order = stream.events.map(({ event }) => event);
  assert.ok(order.indexOf('working') < order.lastIndexOf('item'));
  assert.match(String(stream.events.findLast(isReply('Hello there.'))?.data['id']), /^out_/);
  assert.deepEqual(await history(house), ['user: hi', 'reply: Hello there.']);
});

test('a reply has been sent as soon as the turn is settled: the page reads it in the store', async () => {
  const seen: unknown[] = [];
  const faults: Faults = {
    async reach(point) {
      if (point === 'reply-sending') seen.push(point);
      if (point !== 'turn-settled') return;
      seen.push(await history(house), await house.app.store.outbox.waiting('webchat'));
    },
  };
  await using house: WebHouse = await openWebHouse({ script: [says('Hello there.')], faults });
  using stream = await house.follow('one');

  await house.say('hi');
  await stream.when(isReply('Hello there.'));

  assert.deepEqual(seen, [['user: hi', 'reply: Hello there.'], []]);
});

test('a message that is sent again under its id is taken in once', async () => {
  await using house = await openWebHouse({ script: () => says('Once.') });
  using stream = await house.follow('one');

  const answers = [await house.say('hi', 'one', 'same'), await house.say('hi', 'one', 'same')];
  await stream.when(isReply('Once.'));
  answers.push(await house.say('hi', 'one', 'same'));

  assert.deepEqual(
    answers.map(({ status, json }) => [status, json['outcome']]),
    [
      [200, 'admitted'],
      [200, 'ignored'],
      [200, 'ignored'],
    ],
  );
  assert.equal(house.model.requests.length, 1);
  assert.deepEqual(await history(house), ['user: hi', 'reply: Once.']);
});

test('a reader that comes back goes on behind the last thing that it has seen, and misses and repeats nothing', async () => {
  await using house = await openWebHouse({ script: (_request, index) => says(`Answer ${index + 1}.`) });
  const first = await house.follow('one');
  await house.say('one');
  await first.when(isReply('Answer 1.'));
  const seen = lastId(first);
  first[Symbol.dispose]();
  await house.say('two');
  await (await house.follow('one')).when(isReply('Answer 2.'));

  using second = await house.follow('one', { 'last-event-id': seen });
  await second.when(({ event }) => event === 'standing');

  assert.deepEqual(itemTexts(second.events), ['user: two', 'reply: Answer 2.']);
  assert.ok(!second.events.some(({ event }) => event === 'reset'));
});

test('whatever item a reader saw last, what it reads from there completes the chat', async () => {
  await using house = await openWebHouse({ script: (_request, index) => says(`Answer ${index + 1}.`) });
  using stream = await house.follow('one');
  for (const number of [1, 2, 3]) {
    await house.say(`say ${number}`);
    await stream.when(isReply(`Answer ${number}.`));
  }
  const items = stream.events.filter(({ event }) => event === 'item');

  for (const [index, { id = '' }] of items.entries()) {
    using rest = await house.follow('one', { 'last-event-id': id });
    await rest.when(({ event }) => event === 'standing');
    assert.deepEqual(itemTexts(rest.events), itemTexts(items.slice(index + 1)));
  }
});

test('who comes while an answer grows sees what there is of it, and then the rest', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openWebHouse({
    script: [callsTool('terminal', { command: 'true' }, { text: 'Let me see.' }), delays(gate.promise, says('Done.'))],
  });
  using early = await house.follow('one');
  await house.say('go');
  const { data } = await early.when(({ event }) => event === 'asked');
  using late = await house.follow('one');
  const standing = await late.when(({ event }) => event === 'standing');

  assert.deepEqual(standing.data['questions'], [data]);
  assert.deepEqual(itemTexts(late.events), ['user: go', 'aside: Let me see.']);
  assert.deepEqual(standing.data['work'], { text: '', status: 'waiting for your answer (question below)' });
  await house.ask('/api/chats/one/answers', {
    headers: await house.asProgram(),
    body: { digest: String(data['digest']), verdict: 'approved' },
  });
  gate.resolve();
  await late.when(isReply('Done.'));
});

for (const [verdict, ending] of [
  ['approved', 'Allowed.'],
  ['denied', 'Denied.'],
] as const) {
  test(`a question that is answered ${verdict} is concluded for everyone who sees it`, async () => {
    await using house = await openWebHouse({
      script: [callsTool('terminal', { command: 'touch made-by-web' }), says('So be it.')],
    });
    using here = await house.follow('one');
    using there = await house.follow('one');
    await house.say('go');
    const asked = await here.when(({ event }) => event === 'asked');

    const { status } = await house.ask('/api/chats/one/answers', {
      headers: await house.asProgram(),
      body: { digest: String(asked.data['digest']), verdict },
    });
    const concluded = await there.when(({ event }) => event === 'concluded');
    await there.when(isReply('So be it.'));

    assert.equal(status, 202);
    assert.match(String(asked.data['text']), /touch made-by-web/);
    assert.deepEqual(concluded.data, { id: asked.data['id'], ending });
  });
}

test('an answer to another question, in another chat, or of no known kind changes nothing', async () => {
  await using house = await openWebHouse({ script: [callsTool('terminal', { command: 'touch x' }), says('Done.')] });
  using stream = await house.follow('one');
  await house.say('go');
  const { data } = await stream.when(({ event }) => event === 'asked');
  const headers = await house.asProgram();
  const digest = String(data['digest']);

  await house.ask('/api/chats/one/answers', { headers, body: { digest: 'other', verdict: 'approved' } });
  await house.ask('/api/chats/two/answers', { headers, body: { digest, verdict: 'approved' } });
  const unknown = await house.ask('/api/chats/one/answers', { headers, body: { digest, verdict: 'yes' } });
  await house.ask('/api/chats/one/answers', { headers, body: { digest, verdict: 'denied' } });
  const concluded = await stream.when(({ event }) => event === 'concluded');

  assert.equal(unknown.status, 400);
  assert.equal(concluded.data['ending'], 'Denied.');
});

test('a question of the model is answered by the place of a choice, and by no other', async () => {
  const clarify = callsTool('clarify', { question: 'Which tea?', choices: ['black', 'green'] });
  await using house = await openWebHouse({ script: [clarify, says('So be it.')] });
  using stream = await house.follow('one');
  await house.say('go');
  const { data } = await stream.when(({ event }) => event === 'asked');
  const headers = await house.asProgram();
  const digest = String(data['digest']);

  const unknown = await house.ask('/api/chats/one/answers', { headers, body: { digest, choice: 'green' } });
  await house.ask('/api/chats/one/answers', { headers, body: { digest: 'other', choice: '0' } });
  await house.ask('/api/chats/two/answers', { headers, body: { digest, choice: '0' } });
  await house.ask('/api/chats/one/answers', { headers, body: { digest, choice: '1' } });
  const said = await stream.when(({ event, data: saying }) => event === 'said' && saying['id'] === data['id']);
  await stream.when(isReply('So be it.'));

  assert.equal(unknown.status, 400);
  assert.deepEqual(data['choices'], ['black', 'green']);
  assert.match(String(said.data['text']), /^Which tea\?[^]*\n\nAnswered: green$/);
});

test('a turn is stopped by a request of its own, and the page is told', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openWebHouse({ script: [delays(gate.promise, says('Too late.'))] });
  using stream = await house.follow('one');
  await house.say('think long');
  await house.model.whenRequested(1);

  await house.ask('/api/chats/one/stop', { headers: await house.asProgram(), body: {} });
  await stream.when(({ data }) => data['text'] === 'Stopped.');
  gate.resolve();

  assert.deepEqual(await history(house), ['user: think long', 'notice: Stopped.']);
  // What is kept is told as such alone; "Stopping." is not kept.
  const told = stream.events.filter(({ event }) => event === 'said').map(({ data }) => data['text']);
  assert.ok(!told.includes('Stopped.'));
});

test('what is said to a running turn reaches it, and its sender is told so', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openWebHouse({ script: [delays(gate.promise, says('Both.')), says('Both.')] });
  using stream = await house.follow('one');
  await house.say('first');
  await house.model.whenRequested(1);

  const { json } = await house.say('and this');
  const said = await stream.when(({ event }) => event === 'said');
  gate.resolve();
  await stream.when(isReply('Both.'));

  assert.equal(json['outcome'], 'steered');
  assert.match(String(said.data['text']), /^Noted: /);
  assert.deepEqual((await history(house)).slice(0, 2), ['user: first', 'user: and this']);
});

test('what was said to a running turn by another way is seen as soon as the model is asked about it', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const script = [delays(first.promise, says('One.')), delays(second.promise, says('Both.'))];
  await using house = await openWebHouse({ script });
  const { store } = house.app;
  using stream = await house.follow('one');
  await house.say('first');
  await house.model.whenRequested(1);

  const [running] = await store.turns.unsettled();
  assert.ok(running);
  const said = { type: 'turn.steered', parts: [textPart('second')], person: 'owner' as PersonId } as const;
  await store.turns.append(running, [said]);
  first.resolve();
  await stream.when(({ event, data }) => event === 'item' && data['text'] === 'second');
  second.resolve();
  await stream.when(isReply('Both.'));

  assert.deepEqual(itemTexts(stream.events).slice(0, 2), ['user: first', 'user: second']);
});

test('commands are obeyed and never reach the model; what they came to is shown to whoever comes later', async () => {
  await using house = await openWebHouse();
  await house.say('/help', 'one', 'h1');

  using stream = await house.follow('one');
  const { data } = await stream.when(({ event }) => event === 'standing');

  const sayings = data['sayings'] as readonly { readonly by: string; readonly text: string }[];
  assert.deepEqual(
    sayings.map(({ by }) => by),
    ['user', 'program'],
  );
  assert.equal(sayings[0]?.text, '/help');
  assert.match(sayings[1]?.text ?? '', /\/stop +stop what is running/);
  assert.equal(house.model.requests.length, 0);
});

test('/new begins a session in the same chat, and everyone who looks at it begins anew', async () => {
  await using house = await openWebHouse({ script: (_request, index) => says(`Answer ${index + 1}.`) });
  using stream = await house.follow('one');
  await house.say('hi');
  await stream.when(isReply('Answer 1.'));
  await stream.when(({ event }) => event === 'over');
  await house.say('/help');
  const before = stream.events.findLast(({ event }) => event === 'reset');

  await house.say('/new');
  const isNew = ({ event, data }: WebEvent): boolean =>
    event === 'reset' && data['session'] !== null && data['session'] !== before?.data['session'];
  await stream.when(isNew);
  await house.say('hi again');
  await stream.when(isReply('Answer 2.'));

  assert.deepEqual(await history(house), ['user: hi again', 'reply: Answer 2.']);
  using later = await house.follow('one');
  const { data } = await later.when(({ event }) => event === 'standing');
  // What was said in the session before is gone with it; what began the new one is still there.
  assert.match(JSON.stringify(data['sayings']), /A new session/);
  assert.doesNotMatch(JSON.stringify(data['sayings']), /stop what is running/);
});

test('several chats are several conversations, and the list shows each once, the latest first', async () => {
  await using house = await openWebHouse({ script: (_request, index) => says(`Answer ${index + 1}.`) });
  for (const [index, chat] of ['alpha', 'beta'].entries()) {
    using stream = await house.follow(chat);
    await house.say(`about ${chat}`, chat);
    await stream.when(isReply(`Answer ${index + 1}.`));
  }

  const { json } = await house.ask('/api/chats', { headers: await house.asProgram() });

  const chats = json['chats'] as readonly { readonly chat: string; readonly title: string }[];
  assert.deepEqual(
    chats.map(({ chat, title }) => `${chat}: ${title}`),
    ['beta: about beta', 'alpha: about alpha'],
  );
  assert.deepEqual(await history(house, 'alpha'), ['user: about alpha', 'reply: Answer 1.']);
});

test('of a long chat the end is shown, and how much there was before it', async () => {
  await using house = await openWebHouse();
  const { store } = house.app;
  const address = { platform: 'webchat', account: 'local', chat: 'long', thread: '' };
  const person = 'owner' as PersonId;
  const session = await store.sessions.at({ address, person, workdir: '/' });
  const turn = { sessionId: session.id, turnId: newId('turn', 0) };
  const entries = Array.from({ length: 310 }, (_, index) => ({
    type: index === 0 ? ('turn.admitted' as const) : ('turn.steered' as const),
    parts: [textPart(`message ${index + 1}`)],
    person,
  }));
  await store.turns.append(turn, entries);

  using stream = await house.follow('long');
  await stream.when(({ event }) => event === 'standing');

  assert.equal(stream.events[0]?.data['earlier'], 10);
  const texts = itemTexts(stream.events);
  assert.deepEqual([texts.length, texts[0], texts.at(-1)], [300, 'user: message 11', 'user: message 310']);
});

test(
  '/status says where a chat of the page works, whether in a sandbox, and which setting changes that',
  await needsSandbox(),
  async () => {
    await using house = await openWebHouse({ terminal: { sandbox: 'auto' } });
    using stream = await house.follow('one');

    await house.say('/status');
    const { data } = await stream.when(({ event, data: said }) => event === 'said' && said['by'] === 'program');

    assert.match(
      String(data['text']),
      /^folder {3}(\/\S+)\nsandbox {2}none: \1 is a whole home .*; commands are asked about \(web\.workdir names another folder for new chats\)$/m,
    );
  },
);
