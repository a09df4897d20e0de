import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ModelEvent, ModelFailure } from '../../src/model/provider.ts';
import {
  bodyOf,
  callsTool,
  cutsAfter,
  endsAfter,
  resetsAfter,
  says,
  sendsEvents,
  sendsRaw,
} from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ask, openChat } from './chat-setup.ts';

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

test('a stream that is closed by its mark, without a reason, is whole unless a call in it is not', async () => {
  assert.equal(textOf(await streamOf(sendsEvents([{ choices: [{ delta: { content: 'hi' } }] }]))), 'hi');
  assert.equal((await streamOf(sendsEvents([callWith('{"k":1}')]))).at(-1)?.type, 'finished');
  assert.equal((await failureOf(sendsEvents([callWith('{"k":')])))?.type, 'transport');
});

test('what is not the protocol is refused as such', async () => {
  const nameless: JsonObject = { choices: [{ delta: { tool_calls: [{ index: 0, id: 'x' }] }, finish_reason: 'stop' }] };
  const faults: Readonly<Record<string, ModelStep>> = {
    'a call that is no object': sendsEvents([{ choices: [{ delta: { tool_calls: ['a'] } }] }]),
    'a call without a name': sendsEvents([nameless]),
    'only the closing mark': sendsEvents([]),
    'only the counts': sendsEvents([{ choices: [], usage: { prompt_tokens: 1 } }]),
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
