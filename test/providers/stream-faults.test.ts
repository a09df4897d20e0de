import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ModelEvent, ModelFailure } from '../../src/model/provider.ts';
import {
  bodyOf,
  callsTool,
  cutsAfter,
  endsAfter,
  failsWith,
  garblesAt,
  inChunksOf,
  resets,
  resetsAfter,
  says,
  sendsEvents,
  sendsRaw,
} from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ask, openChat, patientTimeouts, requestOf } from './chat-setup.ts';

// As fixed bytes, so that an offset means the same byte in every answer.
const answer = sendsRaw(bodyOf(says('Hello you there')));
const call = sendsRaw(bodyOf(callsTool('terminal', { command: 'rm -rf everything' })));

async function streamOf(step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using chat = openChat(server);
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

function callPieces(...pieces: readonly Json[]): JsonObject {
  return { choices: [{ delta: { tool_calls: pieces } }] };
}

function callWith(text: string): JsonObject {
  return callPieces({ index: 0, id: 'x', function: { name: 'a', arguments: text } });
}

/** Just before the chunk that says why the answer finished. */
function beforeFinish(step: ModelStep): number {
  return Buffer.from(bodyOf(step))
    .toString('utf8')
    .search(/"delta":\{\},"finish_reason":"/);
}

test('an answer that breaks off at any byte before its finish is never taken for whole', async () => {
  for (const step of [answer, call]) {
    const end = beforeFinish(step);
    for (const at of [0, 1, 7, 200, Math.floor(end / 2), end - 60, end]) {
      for (const fault of [cutsAfter, endsAfter, resetsAfter]) {
        const failure = await failureOf(fault(at, step));
        assert.deepEqual(
          [failure?.type, failure?.type === 'transport' && failure.kind],
          ['transport', 'cut'],
          `${fault.name} ${at}`,
        );
      }
    }
  }
});

test('an answer that said that it was finished is whole, even if the closing mark or the counts are lost', async () => {
  const whole = bodyOf(answer).length;
  const afterFinish = Buffer.from(bodyOf(answer)).toString('utf8').indexOf('\n\n', beforeFinish(answer)) + 2;
  for (const at of [afterFinish, whole - 3]) {
    for (const fault of [cutsAfter, endsAfter]) {
      assert.equal(textOf(await streamOf(fault(at, answer))), 'Hello you there', `${fault.name} ${at}`);
    }
  }
});

test('a connection that is reset before any answer is cut', async () => {
  const failure = await failureOf(resets());

  assert.deepEqual([failure?.type, failure?.type === 'transport' && failure.kind], ['transport', 'cut']);
});

test('a stream that is closed by its mark, without a reason, is whole unless a call in it is not', async () => {
  assert.equal(textOf(await streamOf(sendsEvents([{ choices: [{ delta: { content: 'hi' } }] }]))), 'hi');
  assert.equal((await streamOf(sendsEvents([callWith('{"k":1}')]))).at(-1)?.type, 'finished');
  assert.equal((await failureOf(sendsEvents([callWith('{"k":')])))?.type, 'transport');
});

test('streams are read however they are cut up and encoded', async () => {
  const text = Buffer.from(bodyOf(says('Grüße an 世界 😀'))).toString('utf8');
  const variants: Readonly<Record<string, ModelStep>> = {
    'one byte at a time': inChunksOf(1, sendsRaw(text)),
    'three bytes at a time': inChunksOf(3, sendsRaw(text)),
    'with a byte order mark': sendsRaw(`\ufeff${text}`),
    'with CRLF': sendsRaw(text.replaceAll('\n', '\r\n')),
    'with CRLF, one byte at a time': inChunksOf(1, sendsRaw(text.replaceAll('\n', '\r\n'))),
    'with CR': sendsRaw(text.replaceAll('\n', '\r')),
    'with comments and other fields': sendsRaw(
      `: ping\n\nid: 7\nretry: 10\nfoo: bar\n${text.replaceAll('data:', ': x\ndata:')}`,
    ),
    'without a space after the colon': sendsRaw(text.replaceAll('data: ', 'data:')),
  };
  for (const [name, step] of Object.entries(variants)) {
    assert.equal(textOf(await streamOf(step)), 'Grüße an 世界 😀', name);
  }
});

test('bytes that are no UTF-8 become replacement characters', async () => {
  const at = Buffer.from(bodyOf(answer)).indexOf('ello');

  assert.equal(textOf(await streamOf(garblesAt(at, Buffer.from([0xff]), answer))), 'H\ufffdllo you there');
});

test('what is not the protocol is refused as such', async () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const nameless: JsonObject = { choices: [{ delta: { tool_calls: [{ index: 0, id: 'x' }] }, finish_reason: 'stop' }] };
  const faults: Readonly<Record<string, ModelStep>> = {
    'an event that is no JSON': sendsEvents(['{"choices":[{"delta":{"content":"a"}', '[DONE]']),
    'an event that is a list': sendsEvents(['[1,2]']),
    'an event that is a deep list': sendsEvents([deep]),
    'a call that is no object': sendsEvents([{ choices: [{ delta: { tool_calls: ['a'] } }] }]),
    'a call without a name': sendsEvents([nameless]),
    'only the closing mark': sendsEvents([]),
    'only the counts': sendsEvents([{ choices: [], usage: { prompt_tokens: 1 } }]),
    'a page of HTML': sendsRaw('<html><title>Sign in</title>', { headers: { 'content-type': 'text/html' } }),
    'an answer without a stream': sendsRaw('{"choices":[]}', { headers: { 'content-type': 'application/json' } }),
    'a compressed answer': sendsRaw('\u001f\u008b', { headers: { 'content-encoding': 'gzip' } }),
    'no content': sendsRaw('', { status: 204 }),
  };
  for (const [name, step] of Object.entries(faults)) {
    const failure = await failureOf(step);
    assert.equal(failure?.type, 'protocol', `${name}: ${JSON.stringify(failure)}`);
  }
});

test('wrong types inside an event are passed over', async () => {
  const events = await streamOf(
    sendsEvents([
      { choices: 'none' },
      { choices: [null] },
      { choices: [{ delta: 'x' }] },
      { choices: [{ delta: { content: { a: 1 }, tool_calls: 'x' } }], usage: [] },
      { choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] },
    ]),
  );

  assert.equal(textOf(events), 'ok');
});

test('whatever is too large ends the call, and the connection with it', async () => {
  const megabyte = 'x'.repeat(1_000_000);
  const wide = Array.from({ length: 200 }, (_, index) => ({ index, id: `c${index}`, function: { name: 'a' } }));
  const floods: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^an event is larger/, ['data: "', ...Array.from({ length: 20 }, () => megabyte)]],
    [/^the answer is larger/, Array.from({ length: 70 }, () => `: ${megabyte}\n`)],
    [/^more than 128 tool calls/, [`data: ${JSON.stringify(callPieces(...wide))}\n\n`]],
    [
      /^the arguments of a tool call are longer/,
      Array.from({ length: 11 }, () => `data: ${JSON.stringify(callWith(megabyte))}\n\n`),
    ],
  ];
  for (const [problem, chunks] of floods) {
    const forever = sendsRaw([...chunks, ...Array.from({ length: 50 }, () => `: ${megabyte}\n`)]);
    await using server = await startModelServer([forever]);
    await using chat = openChat(server);

    const last = (await ask(chat)).at(-1);

    assert.match(last?.type === 'failed' && last.failure.type === 'protocol' ? last.failure.message : '', problem);
    await server.whenDisconnected();
  }
});

test('an error in the middle of a stream has the status that it would have had before it', async () => {
  const table: readonly (readonly [JsonObject | string, number])[] = [
    [{ code: 502, message: 'upstream' }, 502],
    [{ code: '429', message: 'slow down' }, 429],
    [{ type: 'overloaded_error', message: 'busy' }, 529],
    [{ code: 'rate_limit_exceeded', type: 'requests', message: 'slow down' }, 429],
    [{ type: 'invalid_request_error', code: null, message: 'no' }, 400],
    [{ message: 'who knows' }, 500],
    ['plain text', 500],
  ];
  for (const [error, status] of table) {
    const failure = await failureOf(sendsEvents([{ choices: [{ delta: { content: 'x' } }] }, { error }]));
    const message = typeof error === 'string' ? error : error['message'];
    assert.deepEqual(failure, { type: 'http', status, message, retryAfterMs: undefined });
  }
});

test('an error of the server is told in one short line, whatever it sends', async () => {
  const table: readonly (readonly [JsonObject | string, string])[] = [
    [{ error: { message: 'model not found', type: 'x' } }, 'model not found'],
    [{ error: 'flat' }, 'flat'],
    [{ message: 'top level' }, 'top level'],
    [{ detail: [{ msg: 'field required', loc: ['body'] }] }, 'field required'],
    [[{ error: { message: 'in a list' } }] as unknown as JsonObject, 'in a list'],
    ['<!doctype html><html><head><title>502 Bad\nGateway</title>', 'an HTML page 502 Bad Gateway'],
    ['upstream\u001b[31m  said\n no', 'upstream [31m said no'],
    ['', 'without saying why'],
    ['{}', 'without saying why'],
    ['x'.repeat(100_000), `${'x'.repeat(300)}…`],
  ];
  for (const [body, message] of table) {
    assert.deepEqual(await failureOf(failsWith(503, body)), {
      type: 'http',
      status: 503,
      message,
      retryAfterMs: undefined,
    });
  }
});

test('a server that asks for patience is believed, up to two minutes', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const table: readonly (readonly [Readonly<Record<string, string>>, number | undefined])[] = [
    [{}, undefined],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '86400' }, 120_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ];
  for (const [headers, retryAfterMs] of table) {
    await using server = await startModelServer([failsWith(429, { error: { message: 'slow' } }, headers)]);
    await using chat = openChat(server, { transport: { clock, timeouts: () => patientTimeouts } });

    const events = await ask(chat, requestOf());

    assert.deepEqual(events, [
      { type: 'failed', failure: { type: 'http', status: 429, message: 'slow', retryAfterMs } },
    ]);
  }
});

test('a redirect is not followed: the key stays with the server that it is for', async () => {
  await using elsewhere = await startModelServer([says('gotcha')]);
  await using server = await startModelServer([
    failsWith(307, '', { location: `${elsewhere.baseUrl}/chat/completions?x=1` }),
  ]);
  await using chat = openChat(server, {
    runtime: { credential: { type: 'key', reveal: () => 'test-key-0123456789' } },
  });

  const events = await ask(chat);

  assert.deepEqual(events, [
    {
      type: 'failed',
      failure: {
        type: 'http',
        status: 307,
        message: `it redirects to ${elsewhere.origin}, which is not followed`,
        retryAfterMs: undefined,
      },
    },
  ]);
  assert.equal(elsewhere.requests.length, 0);
});
