import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ModelEvent } from '../../src/model/provider.ts';
import { startModelServer } from '../support/model-server.ts';
import {
  answersResponses,
  callsToolResponses,
  callsToolsResponses,
  eventsOfResponses,
  saysResponses,
  sendsResponsesEvents,
  thinksResponses,
} from '../support/responses-script.ts';
import type { ScriptedItem } from '../support/responses-script.ts';
import { askForEnd, requestOf } from './chat-setup.ts';
import { endOf, openResponses, streamOf, vendor } from './openai-responses-setup.ts';

const noTokens = { fresh: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

function done(item: JsonObject, place?: number): JsonObject {
  return { type: 'response.output_item.done', item, ...(place === undefined ? {} : { output_index: place }) };
}

function call(fields: JsonObject): JsonObject {
  return { type: 'function_call', ...fields };
}

function completed(fields: JsonObject = {}): JsonObject {
  return { type: 'response.completed', response: { id: 'resp_1', status: 'completed', ...fields } };
}

async function callsOf(events: readonly Json[]): Promise<unknown> {
  return (await endOf(sendsResponsesEvents([...events, completed()]))).message.calls;
}

async function keptOf(items: readonly ScriptedItem[]): Promise<readonly Json[] | undefined> {
  return (await endOf(answersResponses(items))).message.reasoning?.items;
}

function shown(events: readonly ModelEvent[], type: 'text.delta' | 'reasoning.delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

test('text and reasoning are shown as they arrive, and the answer ends with both', async () => {
  const usage = { input_tokens: 10, output_tokens: 4 };
  const events = await streamOf(saysResponses('Hello you there', { reasoning: 'Hm, well', usage }));

  assert.deepEqual(events, [
    { type: 'reasoning.delta', text: 'Hm,' },
    { type: 'reasoning.delta', text: ' well' },
    { type: 'text.delta', text: 'Hello' },
    { type: 'text.delta', text: ' you' },
    { type: 'text.delta', text: ' there' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        parts: [{ type: 'text', text: 'Hello you there' }],
        calls: [],
        reasoning: {
          vendor,
          text: 'Hm, well',
          items: [
            {
              id: 'rs_1_1',
              type: 'reasoning',
              encrypted_content: 'gAAAABSG0sIHdlbGw=',
              summary: [{ type: 'summary_text', text: 'Hm, well' }],
            },
          ],
        },
      },
      finish: 'stop',
      usage: { ...noTokens, fresh: 10, output: 4 },
    },
  ]);
});

test('a tool call is announced when it begins and comes whole at the end', async () => {
  const events = await streamOf(
    callsToolResponses('terminal', { command: 'echo a long command' }, { text: 'Wait.', usage: null }),
  );

  assert.deepEqual(events, [
    { type: 'text.delta', text: 'Wait.' },
    { type: 'call.begun', name: 'terminal' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        parts: [{ type: 'text', text: 'Wait.' }],
        calls: [{ id: 'call_1_2', name: 'terminal', arguments: '{"command":"echo a long command"}' }],
      },
      finish: 'calls',
      usage: noTokens,
    },
  ]);
});

test('several calls in one answer keep their order, whichever was finished first', async () => {
  const calls = [
    { id: 'x', name: 'a', arguments: '{"n":1}' },
    { id: 'own', name: 'b', arguments: '{"n":2}' },
  ];

  const inOrder = await endOf(
    callsToolsResponses([
      { name: 'a', args: { n: 1 }, id: 'x' },
      { name: 'b', args: { n: 2 }, id: 'own' },
    ]),
  );
  const interleaved = await callsOf([
    { type: 'response.output_item.added', output_index: 0, item: call({ id: 'fc_1', name: 'a' }) },
    { type: 'response.output_item.added', output_index: 1, item: call({ id: 'fc_2', name: 'b' }) },
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: '{"n"' },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_2', delta: '{"n":2}' },
    done(call({ id: 'fc_2', call_id: 'own', name: 'b', arguments: '{"n":2}' }), 1),
    done(call({ id: 'fc_1', call_id: 'x', name: 'a', arguments: '{"n":1}' }), 0),
  ]);

  assert.deepEqual(inOrder.message.calls, calls);
  assert.deepEqual(interleaved, calls);
});

test('only what an item is in the end counts, not what was said of it on the way', async () => {
  const [created, ...rest] = eventsOfResponses([{ type: 'call', name: 'a', args: '{"k":1}', id: 'x' }]);
  const misled = rest.map((event) =>
    event['type'] === 'response.function_call_arguments.delta' ? { ...event, delta: 'nonsense' } : event,
  );

  assert.deepEqual((await endOf(sendsResponsesEvents([created ?? {}, ...misled]))).message.calls, [
    { id: 'x', name: 'a', arguments: '{"k":1}' },
  ]);
});

test('an item that comes twice is one item, and items that share a place are several', async () => {
  const calls = await callsOf([
    done(call({ id: 'fc_1', call_id: 'x', name: 'a', arguments: '{}' }), 0),
    done(call({ id: 'fc_1', call_id: 'x', name: 'a', arguments: '{}' }), 0),
    done(call({ id: 'fc_2', call_id: 'y', name: 'b', arguments: '{}' }), 0),
    done(call({ call_id: 'z', name: 'c', arguments: '{}' })),
    done(call({ call_id: 'w', name: 'd', arguments: '{}' })),
  ]);

  assert.deepEqual(
    (calls as { id: string }[]).map(({ id }) => id),
    ['x', 'y', 'z', 'w'],
  );
});

test('arguments that come as an object are written down as text, and none at all as an empty object', async () => {
  const calls = await callsOf([
    done(call({ call_id: 'x', name: 'a', arguments: { k: [1, 2] } }), 0),
    done(call({ call_id: 'y', name: 'b', arguments: null }), 1),
    done(call({ call_id: 'z', name: 'c', arguments: ' ' }), 2),
  ]);

  assert.deepEqual(calls, [
    { id: 'x', name: 'a', arguments: '{"k":[1,2]}' },
    { id: 'y', name: 'b', arguments: '{}' },
    { id: 'z', name: 'c', arguments: '{}' },
  ]);
});

test('an id that is missing or given twice is made from the request, the same every time', async () => {
  const events = [
    done(call({ call_id: 'same', name: 'a', arguments: '{}' }), 0),
    done(call({ call_id: 'same', name: 'b', arguments: '{}' }), 1),
    done(call({ name: 'c', arguments: '{}' }), 2),
    completed(),
  ];
  await using server = await startModelServer(() => sendsResponsesEvents(events));
  await using client = openResponses(server);

  const idsOf = async (system: string): Promise<readonly string[]> => {
    const last = await askForEnd(client, requestOf({ system }));
    return last?.type === 'finished' ? last.message.calls.map(({ id }) => id) : [];
  };
  const first = await idsOf('one');
  const again = await idsOf('one');
  const other = await idsOf('two');

  assert.equal(first[0], 'same');
  assert.equal(new Set(first).size, 3);
  assert.deepEqual(again, first);
  assert.notDeepEqual(other, first);
});

test('what stopped an answer decides how it finished', async () => {
  const text = { type: 'text', text: 'x' } as const;
  const aCall = { type: 'call', name: 'a', args: '{"k":1}' } as const;
  const table = [
    [[text], undefined, 'stop'],
    [[text, aCall], undefined, 'calls'],
    [[text], 'max_output_tokens', 'length'],
    [[text, aCall], 'max_output_tokens', 'length'],
    [[text], 'content_filter', 'filtered'],
    [[text], 'max_messages', 'length'],
  ] as const;
  for (const [items, incomplete, expected] of table) {
    const step = answersResponses(items, incomplete === undefined ? {} : { incomplete });
    assert.equal((await endOf(step)).finish, expected, `${items.length} ${incomplete}`);
  }
});

test('an answer that is completed in name and incomplete by its status was cut by length', async () => {
  const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  const message = { type: 'message', content: [{ type: 'output_text', text: 'beg' }] };

  assert.equal((await endOf(sendsResponsesEvents([done(message, 0), completed(details)]))).finish, 'length');
});

test('a call that the length limit cut off keeps its broken arguments, so that nobody can take it for whole', async () => {
  const step = answersResponses([{ type: 'call', name: 'a', args: '', id: 'x' }], { incomplete: 'max_output_tokens' });

  assert.deepEqual((await endOf(step)).message.calls, [{ id: 'x', name: 'a', arguments: '' }]);
});

test('a call that a filter cut off is not among the calls', async () => {
  const step = answersResponses(
    [
      { type: 'call', name: 'a', args: '{"k":1}', id: 'x' },
      { type: 'call', name: 'b', args: '{"k":', id: 'y' },
    ],
    { incomplete: 'content_filter' },
  );

  assert.deepEqual(
    (await endOf(step)).message.calls.map(({ id }) => id),
    ['x'],
  );
});

test('an answer of nothing but reasoning finishes with nothing but reasoning', async () => {
  const { message, finish } = await endOf(thinksResponses('Hm.', { incomplete: 'max_output_tokens' }));

  assert.deepEqual([message.parts, message.calls, message.reasoning?.text, finish], [[], [], 'Hm.', 'length']);
});

test('what is shown of several messages and thoughts is what is kept of them', async () => {
  const events = await streamOf(
    answersResponses([
      { type: 'thought', summary: ['First.', 'Second, longer.'] },
      { type: 'text', text: 'I will look.', phase: 'commentary' },
      { type: 'thought', summary: ['Third.'] },
      { type: 'text', text: 'It is there.', phase: 'final_answer' },
    ]),
  );

  const last = events.at(-1);
  assert.equal(last?.type, 'finished');
  assert.equal(shown(events, 'text.delta'), 'I will look.\nIt is there.');
  assert.equal(shown(events, 'reasoning.delta'), 'First.\n\nSecond, longer.\n\nThird.');
  assert.equal(last.message.reasoning?.text, 'First.\n\nSecond, longer.\n\nThird.');
  assert.deepEqual(last.message.parts, [
    { type: 'text', text: 'I will look.' },
    { type: 'text', text: 'It is there.' },
  ]);
});

test('an answer in an order of its own, or with phases, keeps a mark for each of its items and its reasoning whole', async () => {
  const { message } = await endOf(
    answersResponses([
      { type: 'thought', summary: [], encrypted: 'one' },
      { type: 'text', text: 'Let me see.', phase: 'commentary' },
      { type: 'call', name: 'a', args: '{}', id: 'x' },
      { type: 'thought', summary: [], encrypted: 'two' },
      { type: 'call', name: 'b', args: '{}', id: 'y' },
    ]),
  );

  assert.deepEqual(message.reasoning?.items, [
    { id: 'rs_1_1', type: 'reasoning', encrypted_content: 'one', summary: [] },
    { type: 'message', phase: 'commentary' },
    { type: 'function_call' },
    { id: 'rs_1_4', type: 'reasoning', encrypted_content: 'two', summary: [] },
    { type: 'function_call' },
  ]);
});

test('a phase alone, or an order alone, is reason enough to keep the marks', async () => {
  const text = { type: 'text', text: 'So.' } as const;
  const aCall = { type: 'call', name: 'a', args: '{}' } as const;

  assert.deepEqual(await keptOf([{ ...text, phase: 'final_answer' }]), [{ type: 'message', phase: 'final_answer' }]);
  assert.deepEqual(await keptOf([aCall, text]), [{ type: 'function_call' }, { type: 'message' }]);
  assert.equal(await keptOf([text, aCall]), undefined);
});

test('a message that says nothing leaves nothing behind', async () => {
  const { message } = await endOf(
    answersResponses([
      { type: 'text', text: '', phase: 'commentary' },
      { type: 'call', name: 'a', args: '{}', id: 'x' },
    ]),
  );

  assert.deepEqual(message, { role: 'assistant', parts: [], calls: [{ id: 'x', name: 'a', arguments: '{}' }] });
});

test('an answer without reasoning, in the usual order, keeps none', async () => {
  const { message } = await endOf(callsToolResponses('a', {}, { text: 'Wait.' }));

  assert.equal('reasoning' in message, false);
});

test('a refusal is what the model said', async () => {
  const events = await streamOf(answersResponses([{ type: 'refusal', text: 'I will not.' }]));

  const last = events.at(-1);
  assert.equal(shown(events, 'text.delta'), 'I will not.');
  assert.deepEqual(last?.type === 'finished' && last.message.parts, [{ type: 'text', text: 'I will not.' }]);
});

test('reasoning that a server shows in plain text is shown and kept', async () => {
  const thought = { type: 'reasoning', id: 'rs', summary: [], content: [{ type: 'reasoning_text', text: 'Plainly.' }] };
  const events = await streamOf(
    sendsResponsesEvents([
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Plainly.' },
      done(thought, 0),
      completed(),
    ]),
  );

  const last = events.at(-1);
  assert.equal(shown(events, 'reasoning.delta'), 'Plainly.');
  assert.deepEqual(last?.type === 'finished' && last.message.reasoning, { vendor, text: 'Plainly.', items: [thought] });
});

test('items that come only as a whole are shown and announced all the same', async () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'All at once.' }] };
  const events = await streamOf(
    sendsResponsesEvents([done(message, 0), done(call({ call_id: 'x', name: 'a', arguments: '{}' }), 1), completed()]),
  );

  assert.deepEqual(events.slice(0, -1), [
    { type: 'text.delta', text: 'All at once.' },
    { type: 'call.begun', name: 'a' },
  ]);
});

test('tokens are counted once each', async () => {
  const table: readonly (readonly [Json, object])[] = [
    [
      { input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 60 }, total_tokens: 120 },
      { fresh: 40, cacheRead: 60, output: 20 },
    ],
    [
      { input_tokens: 100, output_tokens: 20, output_tokens_details: { reasoning_tokens: 15 }, total_tokens: 120 },
      { fresh: 100, output: 20, reasoning: 15 },
    ],
    [
      { input_tokens: 100, output_tokens: 1, input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 } },
      { fresh: 50, cacheRead: 30, cacheWrite: 20, output: 1 },
    ],
    [{ input_tokens: 5, input_tokens_details: { cached_tokens: 9 }, output_tokens: -3 }, { cacheRead: 9 }],
    [{ input_tokens: 'many', output_tokens: null, input_tokens_details: 'none' }, {}],
    [null, {}],
  ];
  for (const [usage, expected] of table) {
    const { usage: counted } = await endOf(sendsResponsesEvents([completed({ usage })]));
    assert.deepEqual(counted, { ...noTokens, ...expected }, JSON.stringify(usage));
  }
});

test('a character that was split between two events is shown whole', async () => {
  const events = await streamOf(
    sendsResponsesEvents([
      textDelta('a\\ud83d'),
      textDelta('\\ude00b'),
      '{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"text":"a\\ud83d\\ude00b\\ud83d"}]}}',
      completed(),
    ]),
  );

  assert.deepEqual(events.slice(0, -1), [
    { type: 'text.delta', text: 'a' },
    { type: 'text.delta', text: '😀b' },
  ]);
  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && last.message.parts, [{ type: 'text', text: 'a😀b\ufffd' }]);
});

/** A piece of text, written as it stands in the JSON. */
function textDelta(text: string): string {
  return `{"type":"response.output_text.delta","output_index":0,"delta":"${text}"}`;
}
