import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../src/base/json.ts';
import type { ModelEvent } from '../../src/model/provider.ts';
import { callsTool, callsTools, says, sendsEvents, sendsRaw } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ask, askForEnd, openChat, requestOf } from './chat-setup.ts';

const noTokens = { fresh: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** The events of one answer that the server gives. */
async function eventsOf(step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using chat = openChat(server);
  return await ask(chat);
}

function chunk(delta: Json, finish: string | null = null): Json {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function piece(call: Json): Json {
  return chunk({ tool_calls: [call] });
}

const finished = chunk({}, 'tool_calls');

async function callsOf(events: readonly Json[]): Promise<unknown> {
  const last = (await eventsOf(sendsEvents(events))).at(-1);
  return last?.type === 'finished' ? last.message.calls : last;
}

test('text and reasoning are shown as they arrive, and the answer ends with all of the text', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 4 };
  const events = await eventsOf(says('Hello you there', { reasoning: 'Hm, well', usage }));

  assert.deepEqual(events, [
    { type: 'reasoning.delta', text: 'Hm,' },
    { type: 'reasoning.delta', text: ' well' },
    { type: 'text.delta', text: 'Hello' },
    { type: 'text.delta', text: ' you' },
    { type: 'text.delta', text: ' there' },
    {
      type: 'finished',
      message: { role: 'assistant', parts: [{ type: 'text', text: 'Hello you there' }], calls: [] },
      finish: 'stop',
      usage: { fresh: 10, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 0 },
    },
  ]);
});

test('a tool call is announced when it begins and comes whole at the end', async () => {
  const events = await eventsOf(
    callsTool('terminal', { command: 'echo a long command' }, { text: 'Wait.', usage: null }),
  );

  assert.deepEqual(events, [
    { type: 'text.delta', text: 'Wait.' },
    { type: 'call.begun', name: 'terminal' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        parts: [{ type: 'text', text: 'Wait.' }],
        calls: [{ id: 'call_1_1', name: 'terminal', arguments: '{"command":"echo a long command"}' }],
      },
      finish: 'calls',
      usage: noTokens,
    },
  ]);
});

test('several calls in one answer keep their order', async () => {
  const events = await eventsOf(
    callsTools([
      { name: 'a', args: { n: 1 } },
      { name: 'b', args: { n: 2 }, id: 'own' },
    ]),
  );

  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && last.message.calls, [
    { id: 'call_1_1', name: 'a', arguments: '{"n":1}' },
    { id: 'own', name: 'b', arguments: '{"n":2}' },
  ]);
});

test('pieces of interleaved calls find their own call', async () => {
  const calls = await callsOf([
    piece({ index: 0, id: 'x', function: { name: 'a', arguments: '{"k":' } }),
    piece({ index: 1, id: 'y', function: { name: 'b', arguments: '{"k":' } }),
    piece({ index: 0, function: { arguments: '1}' } }),
    piece({ index: 1, function: { arguments: '2}' } }),
    finished,
  ]);

  assert.deepEqual(calls, [
    { id: 'x', name: 'a', arguments: '{"k":1}' },
    { id: 'y', name: 'b', arguments: '{"k":2}' },
  ]);
});

test('an index that comes back with another id is another call', async () => {
  const calls = await callsOf([
    piece({ index: 0, id: 'x', function: { name: 'a', arguments: '{}' } }),
    piece({ index: 0, id: 'y', function: { name: 'b', arguments: '{"k"' } }),
    piece({ index: 0, function: { arguments: ':2}' } }),
    finished,
  ]);

  assert.deepEqual(calls, [
    { id: 'x', name: 'a', arguments: '{}' },
    { id: 'y', name: 'b', arguments: '{"k":2}' },
  ]);
});

test('a name that is sent with every piece is one name', async () => {
  const calls = await callsOf([
    piece({ index: 0, id: 'x', function: { name: 'terminal', arguments: '{"a"' } }),
    piece({ index: 0, id: 'x', function: { name: 'terminal', arguments: ':1}' } }),
    finished,
  ]);

  assert.deepEqual(calls, [{ id: 'x', name: 'terminal', arguments: '{"a":1}' }]);
});

test('calls that begin without an index are gone on with by their place', async () => {
  const calls = await callsOf([
    chunk({
      tool_calls: [
        { id: 'x', function: { name: 'a', arguments: '{"k":' } },
        { id: 'y', function: { name: 'b', arguments: '{"k":' } },
      ],
    }),
    chunk({
      tool_calls: [
        { index: 1, function: { arguments: '2}' } },
        { index: 0, function: { arguments: '1}' } },
      ],
    }),
    finished,
  ]);

  assert.deepEqual(calls, [
    { id: 'x', name: 'a', arguments: '{"k":1}' },
    { id: 'y', name: 'b', arguments: '{"k":2}' },
  ]);
});

test('whole calls without index and id are calls of their own', async () => {
  const calls = (await callsOf([
    piece({ function: { name: 'a', arguments: '{"k":1}' } }),
    piece({ function: { name: 'b', arguments: '{"k":2}' } }),
    finished,
  ])) as { name: string; arguments: string }[];

  assert.deepEqual(
    calls.map(({ name, arguments: text }) => [name, text]),
    [
      ['a', '{"k":1}'],
      ['b', '{"k":2}'],
    ],
  );
});

test('arguments that come as an object are written down as text, and none at all as an empty object', async () => {
  const calls = await callsOf([
    piece({ index: 0, id: 'x', function: { name: 'a', arguments: { k: [1, 2] } } }),
    piece({ index: 1, id: 'y', function: { name: 'b', arguments: null } }),
    finished,
  ]);

  assert.deepEqual(calls, [
    { id: 'x', name: 'a', arguments: '{"k":[1,2]}' },
    { id: 'y', name: 'b', arguments: '{}' },
  ]);
});

test('an id that is missing or given twice is made from the request, the same every time', async () => {
  const events = [
    piece({ index: 0, id: 'same', function: { name: 'a', arguments: '{}' } }),
    piece({ index: 1, id: 'same', function: { name: 'b', arguments: '{}' } }),
    piece({ index: 2, function: { name: 'c', arguments: '{}' } }),
    finished,
  ];
  await using server = await startModelServer(() => sendsEvents(events));
  await using chat = openChat(server);

  const idsOf = async (system: string): Promise<readonly string[]> => {
    const last = await askForEnd(chat, requestOf({ system }));
    return last?.type === 'finished' ? last.message.calls.map((call) => call.id) : [];
  };
  const first = await idsOf('one');
  const again = await idsOf('one');
  const other = await idsOf('two');

  assert.equal(first[0], 'same');
  assert.equal(new Set(first).size, 3);
  assert.deepEqual(again, first);
  assert.notDeepEqual(other, first);
});

test('finish reasons of all vendors mean one of five things', async () => {
  const call = piece({ index: 0, id: 'x', function: { name: 'a', arguments: '{"k":1}' } });
  const table: readonly (readonly [string, 'text' | 'call', string])[] = [
    ['stop', 'text', 'stop'],
    ['end_turn', 'text', 'stop'],
    ['length', 'text', 'length'],
    ['max_tokens', 'text', 'length'],
    ['content_filter', 'text', 'filtered'],
    ['tool_calls', 'call', 'calls'],
    ['function_call', 'call', 'calls'],
    ['stop', 'call', 'calls'],
    ['length', 'call', 'length'],
  ];
  for (const [reason, kind, expected] of table) {
    const last = (
      await eventsOf(sendsEvents([kind === 'call' ? call : chunk({ content: 'x' }), chunk({}, reason)]))
    ).at(-1);
    assert.equal(last?.type === 'finished' && last.finish, expected, `${reason} with ${kind}`);
  }
});

test('a call that the length limit cut off keeps its broken arguments, so that nobody can take it for whole', async () => {
  const events = await eventsOf(
    sendsEvents([piece({ index: 0, id: 'x', function: { name: 'a', arguments: '' } }), chunk({}, 'length')]),
  );

  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && [last.finish, last.message.calls], [
    'length',
    [{ id: 'x', name: 'a', arguments: '' }],
  ]);
});

test('a call that a filter cut off is not among the calls', async () => {
  const events = await eventsOf(
    sendsEvents([
      piece({ index: 0, id: 'x', function: { name: 'a', arguments: '{"k":1}' } }),
      piece({ index: 1, id: 'y', function: { name: 'b', arguments: '{"k":' } }),
      chunk({}, 'content_filter'),
    ]),
  );

  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && last.message.calls.map((call) => call.id), ['x']);
});

test('tokens are counted once each, wherever a vendor says so', async () => {
  const table: readonly (readonly [Json, object])[] = [
    [
      { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 60 } },
      { fresh: 40, cacheRead: 60, output: 20 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        completion_tokens_details: { reasoning_tokens: 15 },
        total_tokens: 120,
      },
      { fresh: 100, output: 20, reasoning: 15 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        completion_tokens_details: { reasoning_tokens: 15 },
        total_tokens: 135,
      },
      { fresh: 100, output: 35, reasoning: 15 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 30 },
      { fresh: 70, cacheRead: 30, output: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, cached_tokens: 30 },
      { fresh: 70, cacheRead: 30, output: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 },
      { fresh: 50, cacheRead: 30, cacheWrite: 20, output: 1 },
    ],
    [{ prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 }, completion_tokens: -3 }, { cacheRead: 9 }],
    [{ prompt_tokens: 'many', completion_tokens: null }, {}],
  ];
  for (const [usage, expected] of table) {
    const last = (await eventsOf(sendsEvents([chunk({ content: 'x' }, 'stop'), { choices: [], usage }]))).at(-1);
    assert.deepEqual(last?.type === 'finished' && last.usage, { ...noTokens, ...expected }, JSON.stringify(usage));
  }
});

test('tokens are counted wherever in the stream a vendor says how many', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 };
  const places: Readonly<Record<string, readonly Json[]>> = {
    'a chunk without choices': [chunk({ content: 'x' }, 'stop'), { choices: [], usage }],
    'the last piece': [chunk({ content: 'x' }), { ...(chunk({}, 'stop') as object), usage }],
    'the choice': [{ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop', usage }] }],
    'every piece, and more each time': [
      { ...(chunk({ content: 'x' }) as object), usage: { prompt_tokens: 7, completion_tokens: 1 } },
      { ...(chunk({}, 'stop') as object), usage },
    ],
    'the piece before one that counts nothing': [
      { ...(chunk({ content: 'x' }, 'stop') as object), usage },
      { choices: [], usage: null },
    ],
  };
  for (const [place, events] of Object.entries(places)) {
    const last = (await eventsOf(sendsEvents(events))).at(-1);
    assert.deepEqual(last?.type === 'finished' && last.usage, { ...noTokens, fresh: 7, output: 3 }, place);
  }
});

test('an answer that said that it was finished is whole without the closing mark', async () => {
  const body = `: hello\n\ndata: ${JSON.stringify(chunk({ content: 'x' }, 'stop'))}\n\n: bye\n\n`;

  const last = (await eventsOf(sendsRaw(body))).at(-1);

  assert.equal(last?.type === 'finished' && last.finish, 'stop');
});

test('text in parts, a refusal and unknown fields are all read', async () => {
  const events = await eventsOf(
    sendsEvents([
      {
        id: 'x',
        system_fingerprint: 'f',
        surprise: { deep: [1] },
        ...(chunk({ role: 'assistant', audio: null }) as object),
      },
      chunk({ content: [{ type: 'text', text: 'a' }, { type: 'mystery' }] }),
      chunk({ content: null, reasoning: 'r' }),
      chunk({ refusal: 'b' }),
      chunk({ content: 7 }, 'stop'),
    ]),
  );

  assert.deepEqual(
    events.map((event) => ('text' in event ? [event.type, event.text] : event.type)),
    [['text.delta', 'a'], ['reasoning.delta', 'r'], ['text.delta', 'b'], 'finished'],
  );
});

test('a character that was split between two events is shown whole', async () => {
  const events = await eventsOf(
    sendsEvents([
      '{"choices":[{"delta":{"content":"a\\ud83d"}}]}',
      '{"choices":[{"delta":{"content":"\\ude00b"}}]}',
      '{"choices":[{"delta":{"content":"c\\ud83d"},"finish_reason":"stop"}]}',
    ]),
  );

  assert.deepEqual(events.slice(0, -1), [
    { type: 'text.delta', text: 'a' },
    { type: 'text.delta', text: '😀b' },
    { type: 'text.delta', text: 'c' },
  ]);
  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && last.message.parts, [{ type: 'text', text: 'a😀bc\ufffd' }]);
});
