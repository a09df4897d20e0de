import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ModelEvent } from '../../src/model/provider.ts';
import {
  answersAnthropic,
  blockDelta,
  blockStart,
  blockStop,
  callsToolsAnthropic,
  messageDelta,
  messageStart,
  messageStop,
  saysAnthropic,
  sendsAnthropic,
  thinksAnthropic,
} from '../support/anthropic-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openAnthropic, user, wired } from './anthropic-setup.ts';
import { ask, askForEnd, requestOf } from './chat-setup.ts';

const noTokens = { fresh: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const noCounts = { start: { input_tokens: 0, output_tokens: 0 }, end: { output_tokens: 0 } };

const signed = { type: 'thinking', thinking: 'Hm, well', signature: 'sig-1' } as const;
const hidden = { type: 'redacted_thinking', data: 'opaque' } as const;
const note = { type: 'thinking', thinking: '', signature: 'sig-2' } as const;

/** The events of one answer that the server gives. */
async function eventsOf(step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using chat = openAnthropic(server);
  return await ask(chat);
}

async function endOf(step: ModelStep): Promise<ModelEvent | undefined> {
  return (await eventsOf(step)).at(-1);
}

/** An answer of these blocks, each sent as it stands. */
function wholeBlocks(blocks: readonly JsonObject[], stop: string | null = 'end_turn'): ModelStep {
  const sent = blocks.flatMap((block, index) => [blockStart(index, block), blockStop(index)]);
  return sendsAnthropic([messageStart(), ...sent, messageDelta(stop), messageStop]);
}

test('text and thoughts are shown as they arrive, and the answer ends with all of them', async () => {
  const usage = {
    start: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 },
    end: { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
  };
  const events = await eventsOf(thinksAnthropic([signed, hidden], 'Hello you there', { usage }));

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
        reasoning: { vendor: 'anthropic', text: 'Hm, well', items: [signed, hidden] },
      },
      finish: 'stop',
      usage: { fresh: 10, cacheRead: 7, cacheWrite: 3, output: 9, reasoning: 4 },
    },
  ]);
});

test('a tool call is announced when it begins and comes whole at the end', async () => {
  const events = await eventsOf(
    callsToolsAnthropic([{ name: 'terminal', args: { command: 'echo a long command' } }], {
      text: 'Wait.',
      usage: noCounts,
    }),
  );

  assert.deepEqual(events, [
    { type: 'text.delta', text: 'Wait.' },
    { type: 'call.begun', name: 'terminal' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        parts: [{ type: 'text', text: 'Wait.' }],
        calls: [{ id: 'toolu_1_2', name: 'terminal', arguments: '{"command":"echo a long command"}' }],
      },
      finish: 'calls',
      usage: noTokens,
    },
  ]);
});

test('thoughts between texts and calls keep their places: what came in goes out again', async () => {
  const blocks = [
    signed,
    { type: 'text', text: 'First.' },
    hidden,
    { type: 'tool_use', id: 'toolu_a', name: 'a', args: { n: 1 } },
    note,
    { type: 'tool_use', id: 'toolu_b', name: 'b', args: { n: 2 } },
    { type: 'text', text: 'Last.' },
  ] as const;
  const last = await endOf(answersAnthropic(blocks));
  assert.ok(last?.type === 'finished');

  const [, answer] = wired([
    user('go'),
    last.message,
    ...last.message.calls.map(({ id }) => ({
      role: 'tool' as const,
      callId: id,
      outcome: { type: 'interrupted' as const },
      steering: [],
    })),
  ]);

  assert.deepEqual(answer?.content, [
    signed,
    { type: 'text', text: 'First.' },
    hidden,
    { type: 'tool_use', id: 'toolu_a', name: 'a', input: { n: 1 } },
    note,
    // Behind the last thought no place has to be kept.
    { type: 'text', text: 'Last.' },
    { type: 'tool_use', id: 'toolu_b', name: 'b', input: { n: 2 } },
  ]);
});

test('blank texts and empty thoughts are not kept', async () => {
  const last = await endOf(
    wholeBlocks([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'text', text: '\n\n' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]),
  );

  assert.deepEqual(last?.type === 'finished' && last.message, {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    calls: [],
  });
});

test('several calls keep their order, and interleaved pieces find their own call', async () => {
  const last = await endOf(
    sendsAnthropic([
      messageStart(),
      blockStart(0, { type: 'tool_use', id: 'x', name: 'a', input: {} }),
      blockStart(1, { type: 'tool_use', id: 'y', name: 'b', input: {} }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '{"k":2' }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{"k":1}' }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '}' }),
      blockStop(0),
      blockStop(1),
      messageDelta('tool_use'),
      messageStop,
    ]),
  );

  assert.deepEqual(last?.type === 'finished' && last.message.calls, [
    { id: 'x', name: 'a', arguments: '{"k":1}' },
    { id: 'y', name: 'b', arguments: '{"k":2}' },
  ]);
});

test('an index that comes back is another block', async () => {
  const use = { type: 'tool_use', name: 'a', input: {} };
  const sent = (id: string, text: string): readonly Json[] => [
    blockStart(0, { ...use, id }),
    blockDelta(0, { type: 'input_json_delta', partial_json: text }),
    blockStop(0),
  ];
  const last = await endOf(
    sendsAnthropic([
      messageStart(),
      ...sent('x', '{"k":1}'),
      ...sent('y', '{"k":2}'),
      messageDelta('tool_use'),
      messageStop,
    ]),
  );

  assert.deepEqual(last?.type === 'finished' && last.message.calls.map((call) => [call.id, call.arguments]), [
    ['x', '{"k":1}'],
    ['y', '{"k":2}'],
  ]);
});

test('a call that comes as a whole is taken as it is, and one without arguments has an empty object', async () => {
  const last = await endOf(
    wholeBlocks(
      [
        { type: 'tool_use', id: 'x', name: 'a', input: { k: [1, 2] } },
        { type: 'tool_use', id: 'y', name: 'b', input: {} },
        { type: 'tool_use', id: 'z', name: 'c' },
      ],
      'tool_use',
    ),
  );

  assert.deepEqual(last?.type === 'finished' && last.message.calls.map((call) => call.arguments), [
    '{"k":[1,2]}',
    '{}',
    '{}',
  ]);
});

test('an id that is missing or given twice is made from the request, the same every time', async () => {
  const uses = ['same', 'same', ''].map((id) => ({ type: 'tool_use', id, name: 'a', input: {} }));
  await using server = await startModelServer(() => wholeBlocks(uses, 'tool_use'));
  await using chat = openAnthropic(server);

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

test('stop reasons mean one of five things', async () => {
  const text = { type: 'text', text: 'x' };
  const use = { type: 'tool_use', id: 'x', name: 'a', input: { k: 1 } };
  const table: readonly (readonly [string | null, JsonObject, string])[] = [
    ['end_turn', text, 'stop'],
    ['stop_sequence', text, 'stop'],
    ['max_tokens', text, 'length'],
    ['model_context_window_exceeded', text, 'length'],
    ['pause_turn', text, 'length'],
    ['refusal', text, 'filtered'],
    ['tool_use', use, 'calls'],
    ['end_turn', use, 'calls'],
    ['max_tokens', use, 'length'],
    ['something new', text, 'stop'],
    [null, use, 'calls'],
  ];
  for (const [reason, block, expected] of table) {
    const last = await endOf(wholeBlocks([block], reason));
    assert.equal(last?.type === 'finished' && last.finish, expected, `${reason} with ${JSON.stringify(block)}`);
  }
});

test('a call that the length limit cut off keeps its broken arguments, so that nobody can take it for whole', async () => {
  for (const args of ['', '{"command":"rm']) {
    const last = await endOf(callsToolsAnthropic([{ id: 'x', name: 'a', args }], { stop: 'max_tokens' }));
    assert.deepEqual(last?.type === 'finished' && [last.finish, last.message.calls], [
      'length',
      [{ id: 'x', name: 'a', arguments: args }],
    ]);
  }
});

test('a call that a refusal cut off is not among the calls, nor is its place', async () => {
  const last = await endOf(
    answersAnthropic(
      [
        signed,
        { type: 'tool_use', id: 'x', name: 'a', args: '{"k":1}' },
        { type: 'tool_use', id: 'y', name: 'b', args: '{"k":' },
        note,
      ],
      { stop: 'refusal' },
    ),
  );

  assert.deepEqual(last?.type === 'finished' && last.message.calls.map((call) => call.id), ['x']);
  assert.deepEqual(last?.type === 'finished' && last.message.reasoning?.items, [signed, { type: 'tool_use' }, note]);
});

test('an answer without anything in it is an answer', async () => {
  assert.deepEqual(await endOf(wholeBlocks([])), {
    type: 'finished',
    message: { role: 'assistant', parts: [], calls: [] },
    finish: 'stop',
    usage: { ...noTokens, fresh: 1, output: 1 },
  });
});

test('tokens are counted once each: the end tells the totals, and what it leaves out stays', async () => {
  const table: readonly (readonly [JsonObject, JsonObject, object])[] = [
    [
      { input_tokens: 10, cache_creation_input_tokens: 4, cache_read_input_tokens: 90, output_tokens: 2 },
      { output_tokens: 20 },
      { fresh: 10, cacheWrite: 4, cacheRead: 90, output: 20 },
    ],
    [
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 20, cache_creation_input_tokens: null },
      { fresh: 10, cacheRead: 5, output: 20 },
    ],
    [
      { input_tokens: 10, output_tokens: 1, output_tokens_details: { thinking_tokens: 1 } },
      { output_tokens: 20, output_tokens_details: { thinking_tokens: 15 } },
      { fresh: 10, output: 20, reasoning: 15 },
    ],
    [{ input_tokens: 'many', output_tokens: 3 }, { output_tokens: -1 }, { output: 0 }],
    [{ input_tokens: 7, output_tokens: 3 }, { output_tokens: null }, { fresh: 7, output: 3 }],
  ];
  for (const [start, end, expected] of table) {
    const last = await endOf(saysAnthropic('x', { usage: { start, end } }));
    assert.deepEqual(last?.type === 'finished' && last.usage, { ...noTokens, ...expected }, JSON.stringify(end));
  }
});

test('a character that was split between two events is shown whole, and not mixed up with another block', async () => {
  const events = await eventsOf(
    sendsAnthropic([
      messageStart(),
      blockStart(0, { type: 'text', text: '' }),
      rawText(0, 'a\\ud83d'),
      rawText(0, '\\ude00b'),
      blockStop(0),
      blockStart(1, { type: 'text', text: 'c' }),
      rawText(1, '\\ud83d'),
      messageDelta('end_turn'),
      messageStop,
    ]),
  );

  assert.deepEqual(events.slice(0, -1), [
    { type: 'text.delta', text: 'a' },
    { type: 'text.delta', text: '😀b' },
    { type: 'text.delta', text: 'c' },
  ]);
  const last = events.at(-1);
  assert.deepEqual(last?.type === 'finished' && last.message.parts, [
    { type: 'text', text: 'a😀b' },
    { type: 'text', text: 'c\ufffd' },
  ]);
});

/** A piece of text whose escapes go over the wire as they are. */
function rawText(index: number, text: string): string {
  return `{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${text}"}}`;
}
