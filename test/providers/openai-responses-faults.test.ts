import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import { bodyOf, cutsAfter, endsAfter, sendsRaw, stallsAfter } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import {
  callsToolResponses,
  eventsOfResponses,
  failsResponses,
  saysResponses,
  sendsResponsesEvents,
} from '../support/responses-script.ts';
import { ask } from './chat-setup.ts';
import { failureOf, openResponses, streamOf, textOf } from './openai-responses-setup.ts';

// As fixed bytes, so that an offset means the same byte in every answer.
const answer = sendsRaw(bodyOf(saysResponses('Hello you there', { reasoning: 'Hm.' })));
const call = sendsRaw(bodyOf(callsToolResponses('terminal', { command: 'rm -rf everything' })));
const completed: JsonObject = { type: 'response.completed', response: { status: 'completed' } };

function done(item: Json, place = 0): JsonObject {
  return { type: 'response.output_item.done', output_index: place, item };
}

/** Where each event of a body ends. */
function eventEnds(step: ModelStep): readonly number[] {
  const text = Buffer.from(bodyOf(step)).toString('latin1');
  return [...text.matchAll(/\n\n/g)].map((match) => match.index + 2);
}

test('an answer that breaks off anywhere before its last event is never taken for whole', async () => {
  for (const step of [answer, call]) {
    const ends = eventEnds(step);
    const places = [0, 1, ...ends.slice(0, -1), ...ends.slice(1).map((end) => end - 3)];
    for (const at of places) {
      for (const fault of [cutsAfter, endsAfter]) {
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

test('an answer whose last event has arrived is whole, whatever becomes of the connection', async () => {
  const whole = bodyOf(answer).length;
  const trailing = sendsRaw(
    `${Buffer.from(bodyOf(answer)).toString('utf8')}data: [DONE]\n\ndata: {"error":"late"}\n\n`,
  );
  for (const step of [cutsAfter(whole, answer), endsAfter(whole, answer), stallsAfter(whole, answer), trailing]) {
    assert.equal(textOf(await streamOf(step)), 'Hello you there');
  }
});

test('a mark of another protocol does not make an answer whole', async () => {
  const unfinished = eventsOfResponses([{ type: 'text', text: 'Hello' }]).slice(0, -1);

  const failure = await failureOf(sendsResponsesEvents([...unfinished, '[DONE]']));

  assert.deepEqual([failure?.type, failure?.type === 'transport' && failure.kind], ['transport', 'cut']);
});

test('an answer that is completed before one of its items is was cut', async () => {
  const events = eventsOfResponses([
    { type: 'text', text: 'Hello' },
    { type: 'call', name: 'a', args: '{"k":1}' },
  ]);
  const last = events.findLast((event) => event['type'] === 'response.output_item.done');

  const failure = await failureOf(sendsResponsesEvents(events.filter((event) => event !== last)));

  assert.deepEqual([failure?.type, failure?.type === 'transport' && failure.kind], ['transport', 'cut']);
});

test('what is not the protocol is refused as such', async () => {
  const faults: Readonly<Record<string, ModelStep>> = {
    'an item that is no object': sendsResponsesEvents([done('a'), completed]),
    'a call without a name': sendsResponsesEvents([done({ type: 'function_call', arguments: '{}' }), completed]),
  };
  for (const [name, step] of Object.entries(faults)) {
    const failure = await failureOf(step);
    assert.equal(failure?.type, 'protocol', `${name}: ${JSON.stringify(failure)}`);
  }
});

test('unknown events, unknown items and wrong types inside an event are passed over', async () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'ok' }, { type: 'mystery' }, 7] };
  const events = await streamOf(
    sendsResponsesEvents([
      { type: 'response.mystery', error: null, deep: [{ a: 1 }] },
      { type: 7 },
      {},
      { type: 'response.output_item.added', output_index: 3, item: null },
      { type: 'response.output_text.delta', delta: { a: 1 } },
      { type: 'response.output_text.delta', output_index: 'none', delta: null },
      { type: 'response.reasoning_summary_text.delta' },
      { type: 'response.function_call_arguments.done', arguments: [] },
      done({ type: 'web_search_call', id: 'ws_1', status: 'completed' }, 0),
      done({ type: 'reasoning', summary: 'none', content: 7 }, 1),
      done(message, 2),
      { type: 'response.completed', response: 'none' },
    ]),
  );

  assert.equal(textOf(events), 'ok');
});

test('whatever is too large ends the call, and the connection with it', async () => {
  const megabyte = 'x'.repeat(1_000_000);
  const huge = { type: 'function_call', name: 'a', arguments: 'x'.repeat(10_000_001) };
  const many = Array.from({ length: 129 }, (_, place) => done({ type: 'function_call', name: 'a' }, place));
  const floods: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^more than 128 tool calls/, many.map((event) => `data: ${JSON.stringify(event)}\n\n`)],
    [/^the arguments of a tool call are longer/, [`data: ${JSON.stringify(done(huge))}\n\n`]],
  ];
  for (const [problem, chunks] of floods) {
    const forever = sendsRaw([...chunks, ...Array.from({ length: 50 }, () => `: ${megabyte}\n`)]);
    await using server = await startModelServer([forever]);
    await using client = openResponses(server);

    const last = (await ask(client)).at(-1);

    assert.match(last?.type === 'failed' && last.failure.type === 'protocol' ? last.failure.message : '', problem);
    await server.whenDisconnected();
  }
});

test('an error in the middle of a stream is the same wherever in an event it stands', async () => {
  const table: readonly (readonly [JsonObject, number, string])[] = [
    [{ code: 'invalid_prompt', message: 'no' }, 400, 'filtered'],
    [{ code: 'usage_limit_reached', message: 'tomorrow' }, 429, 'rate-limit'],
    [{ code: 'server_error', message: 'oh' }, 500, 'server'],
    [{ message: 'who knows' }, 500, 'server'],
  ];
  for (const [error, status, kind] of table) {
    const expected = { type: 'http', status, kind, message: error['message'], retryAfterMs: undefined };
    const nested = { type: 'error', error, sequence_number: 3 };
    const flat = { sequence_number: 3, ...error, type: 'error' };
    assert.deepEqual(await failureOf(failsResponses(error)), expected, JSON.stringify(error));
    assert.deepEqual(await failureOf(sendsResponsesEvents([nested])), expected, JSON.stringify(nested));
    assert.deepEqual(await failureOf(sendsResponsesEvents([flat])), expected, JSON.stringify(flat));
  }
});

test('an error that names its status, or has no type, or says nothing, is an error', async () => {
  const named = { type: 'error', status: 401, error: { code: 'mystery', message: 'who are you' } };

  assert.deepEqual(await statusOf(sendsResponsesEvents([named])), [401, 'who are you']);
  assert.deepEqual(await statusOf(sendsResponsesEvents([{ error: { message: 'upstream', code: 502 } }])), [
    502,
    'upstream',
  ]);
  assert.deepEqual(await statusOf(sendsResponsesEvents([{ error: 'flat' }])), [500, 'flat']);
  assert.deepEqual(await statusOf(failsResponses(null)), [500, 'without saying why']);
  assert.deepEqual(await statusOf(sendsResponsesEvents([{ type: 'response.failed' }])), [500, 'without saying why']);
});

async function statusOf(step: ModelStep): Promise<readonly unknown[]> {
  const failure = await failureOf(step);
  return failure?.type === 'http' ? [failure.status, failure.message] : [];
}
