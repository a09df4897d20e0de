import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ModelEvent, ModelFailure } from '../../src/model/provider.ts';
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
} from '../support/anthropic-script.ts';
import { bodyOf, cutsAfter, endsAfter, resetsAfter, sendsRaw } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openAnthropic } from './anthropic-setup.ts';
import { ask } from './chat-setup.ts';

// As fixed bytes, so that an offset means the same byte in every answer.
const answer = sendsRaw(bodyOf(saysAnthropic('Hello you there')));
const call = sendsRaw(
  bodyOf(
    answersAnthropic([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'tool_use', name: 'terminal', args: { command: 'rm -rf everything' } },
    ]),
  ),
);

async function streamOf(step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using chat = openAnthropic(server);
  return await ask(chat);
}

async function failureOf(step: ModelStep): Promise<ModelFailure | undefined> {
  const last = (await streamOf(step)).at(-1);
  return last?.type === 'failed' ? last.failure : undefined;
}

function textOf(events: readonly ModelEvent[]): string | undefined {
  const last = events.at(-1);
  return last?.type === 'finished'
    ? last.message.parts.map((part) => ('text' in part ? part.text : '')).join('')
    : undefined;
}

function isCut(failure: ModelFailure | undefined): boolean {
  return failure?.type === 'transport' && failure.kind === 'cut';
}

const use: JsonObject = { type: 'tool_use', id: 'x', name: 'a', input: {} };

function useWith(text: string): readonly JsonObject[] {
  return [messageStart(), blockStart(0, use), blockDelta(0, { type: 'input_json_delta', partial_json: text })];
}

test('an answer that breaks off at any byte before its closing event is never taken for whole', async () => {
  for (const step of [answer, call]) {
    const body = Buffer.from(bodyOf(step));
    const closing = body.indexOf('event: message_stop');
    const finish = body.indexOf('event: message_delta');
    for (const at of [0, 1, 7, 300, Math.floor(finish / 2), finish, closing, closing + 30, body.length - 2]) {
      for (const fault of [cutsAfter, endsAfter, resetsAfter]) {
        const failure = await failureOf(fault(at, step));
        assert.equal(isCut(failure), true, `${fault.name} ${at} ${JSON.stringify(failure)}`);
      }
    }
  }
});

test('an answer is whole with its closing event, whatever becomes of the connection then', async () => {
  for (const fault of [cutsAfter, endsAfter, resetsAfter]) {
    assert.equal(textOf(await streamOf(fault(bodyOf(answer).length, answer))), 'Hello you there', fault.name);
  }
});

test('a call that is not closed is cut, unless nothing can be missing from it', async () => {
  const ending = [messageDelta('tool_use'), messageStop];

  assert.equal(isCut(await failureOf(sendsAnthropic([...useWith('{"k":'), ...ending]))), true);
  assert.equal((await streamOf(sendsAnthropic([...useWith('{"k":1}'), ...ending]))).at(-1)?.type, 'finished');
});

test('what is not the protocol is refused as such', async () => {
  const faults: Readonly<Record<string, ModelStep>> = {
    'a block that is no object': sendsAnthropic([{ type: 'content_block_start', index: 0, content_block: 'text' }]),
    'a piece of no block': sendsAnthropic([messageStart(), blockDelta(3, { type: 'text_delta', text: 'x' })]),
    'a call without a name': sendsAnthropic([messageStart(), blockStart(0, { type: 'tool_use', id: 'x' })]),
    'only the closing event': sendsAnthropic([messageStop]),
    'the closing mark of another protocol': sendsAnthropic(['[DONE]']),
  };
  for (const [name, step] of Object.entries(faults)) {
    const failure = await failureOf(step);
    assert.equal(failure?.type, 'protocol', `${name}: ${JSON.stringify(failure)}`);
  }
});

test('what is unknown or of a wrong type inside an event is passed over', async () => {
  const odd: readonly Json[] = [
    { type: 'message_start', message: 'hello' },
    { type: 'ping' },
    { type: 'something_new', index: 0 },
    { surprise: true },
    blockStart(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    blockDelta(0, { type: 'input_json_delta', partial_json: '{"query":' }),
    blockStop(0),
    blockStart(1, { type: 'text', text: 7 }),
    blockDelta(1, { type: 'text_delta', text: { a: 1 } }),
    blockDelta(1, { type: 'citations_delta', citation: {} }),
    blockDelta(1, { type: 'input_json_delta', partial_json: '{' }),
    blockDelta(1, { type: 'signature_delta', signature: 'x' }),
    { type: 'content_block_delta', index: 1, delta: 'x' },
    blockDelta(1, { type: 'text_delta', text: 'ok' }),
    { type: 'content_block_stop', index: 9 },
    { type: 'message_delta', delta: null, usage: [] },
    messageDelta('end_turn'),
    messageStop,
  ];

  assert.equal(textOf(await streamOf(sendsAnthropic(odd))), 'ok');
});

test('nothing is read behind the closing event', async () => {
  const last = (await streamOf(sendsAnthropic([messageStart(), messageStop, messageStop, '{broken']))).at(-1);

  assert.equal(last?.type, 'finished');
});

test('whatever is too large ends the call, and the connection with it', async () => {
  const megabyte = 'x'.repeat(1_000_000);
  const piece = blockDelta(0, { type: 'input_json_delta', partial_json: megabyte });
  const text = { type: 'text', text: '' };
  const floods: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^more than 128 tool calls/, lines(Array.from({ length: 200 }, (_, index) => blockStart(index, use)))],
    [/^more than 1024 blocks/, lines(Array.from({ length: 1100 }, (_, index) => blockStart(index, text)))],
    [
      /^the arguments of a tool call are longer/,
      lines([blockStart(0, use), ...Array.from({ length: 11 }, () => piece)]),
    ],
    [
      /^the arguments of a tool call are longer/,
      lines([blockStart(0, { ...use, input: { text: megabyte.repeat(11) } })]),
    ],
  ];
  for (const [problem, chunks] of floods) {
    const forever = sendsRaw([...chunks, ...Array.from({ length: 50 }, () => `: ${megabyte}\n`)]);
    await using server = await startModelServer([forever]);
    await using chat = openAnthropic(server);

    const last = (await ask(chat)).at(-1);

    assert.match(last?.type === 'failed' && last.failure.type === 'protocol' ? last.failure.message : '', problem);
    await server.whenDisconnected();
  }
});

test('an error event without a cause or without a type is still an error', async () => {
  const table: readonly (readonly [JsonObject, ModelFailure])[] = [
    [
      { type: 'error' },
      { type: 'http', status: 500, kind: 'server', message: 'without saying why', retryAfterMs: undefined },
    ],
    [
      { error: { code: 429, message: 'slow' } },
      { type: 'http', status: 429, kind: 'rate-limit', message: 'slow', retryAfterMs: undefined },
    ],
    [{ error: 'flat' }, { type: 'http', status: 500, kind: 'server', message: 'flat', retryAfterMs: undefined }],
  ];
  for (const [event, expected] of table) {
    assert.deepEqual(await failureOf(sendsAnthropic([messageStart(), event])), expected);
  }
});

test('a partial call is announced but never returned', async () => {
  const body = Buffer.from(bodyOf(callsToolsAnthropic([{ name: 'terminal', args: { command: 'rm -rf /' } }])));
  const events = await streamOf(endsAfter(body.indexOf('event: message_delta'), sendsRaw(body)));

  assert.deepEqual(
    events.map((event) => event.type),
    ['call.begun', 'failed'],
  );
});

function lines(events: readonly Json[]): readonly string[] {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
}
