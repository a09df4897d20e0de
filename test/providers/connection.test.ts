import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ModelEvent } from '../../src/model/provider.ts';
import type { ApiMode, Credential, Runtime } from '../../src/model/runtime.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { bodyOf, delays, failsWith, sendsRaw, stallsAfter } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { protocolScripts } from '../support/protocol-scripts.ts';
import { ask, askForEnd, requestOf, runtimeAt } from './chat-setup.ts';
import type { TestChat } from './chat-setup.ts';

const key = 'test-key-0123456789';
const locked: Credential = {
  type: 'key',
  reveal: () => {
    throw new Error('the keyring is locked');
  },
};

/** Where each protocol is spoken, and in which header its key goes out. */
const habits: Readonly<Record<ApiMode, { readonly path: string; readonly keyHeader: readonly [string, string] }>> = {
  chat_completions: { path: '/v1/chat/completions', keyHeader: ['authorization', `Bearer ${key}`] },
  codex_responses: { path: '/v1/responses', keyHeader: ['authorization', `Bearer ${key}`] },
  anthropic_messages: { path: '/v1/messages', keyHeader: ['x-api-key', key] },
};

for (const { apiMode, says } of protocolScripts) {
  const open = async (server: ModelServer, changes: Partial<Runtime> = {}): Promise<TestChat> => {
    const client = await connectRuntime(runtimeAt(server.baseUrl, { apiMode, ...changes }));
    return { ...client, [Symbol.asyncDispose]: () => client.close() };
  };

  test(`a client of ${apiMode} ends a call that was aborted before it began: the server hears nothing, and no key is asked for`, async () => {
    await using server = await startModelServer([says('never')]);
    await using client = await open(server, { credential: locked });

    const events = await ask(client, requestOf(), AbortSignal.abort());

    assert.deepEqual(events, [{ type: 'failed', failure: { type: 'aborted' } }]);
    assert.deepEqual([server.requests.length, server.openConnections], [0, 0]);
  });

  test(`a client of ${apiMode} ends an answer that is aborted in the middle, and drops the connection`, async () => {
    await using server = await startModelServer([stallsInText(says('one two three four five six'))]);
    await using client = await open(server);
    const abort = new AbortController();

    const events: ModelEvent[] = [];
    for await (const event of client.stream(requestOf(), abort.signal)) {
      events.push(event);
      await server.whenStalled();
      abort.abort();
    }

    assert.equal(events[0]?.type, 'text.delta');
    assert.deepEqual(events.at(-1), { type: 'failed', failure: { type: 'aborted' } });
    assert.equal(events.filter((event) => event.type === 'failed' || event.type === 'finished').length, 1);
    await server.whenDisconnected();
  });

  test(`a client of ${apiMode} ends a call that is aborted while the server has not answered yet`, async () => {
    await using server = await startModelServer([delays(new Promise(() => undefined), says('never'))]);
    await using client = await open(server);
    const abort = new AbortController();

    const events = ask(client, requestOf(), abort.signal);
    await server.whenRequested(1);
    abort.abort();

    assert.deepEqual(await events, [{ type: 'failed', failure: { type: 'aborted' } }]);
    await server.whenDisconnected();
  });

  test(`a client of ${apiMode} lets go of the connection when nobody listens any more`, async () => {
    await using server = await startModelServer([stallsInText(says('one two three four five six'))]);
    await using client = await open(server);

    for await (const event of client.stream(requestOf(), new AbortController().signal)) {
      assert.equal(event.type, 'text.delta');
      break;
    }

    await server.whenDisconnected();
  });

  test(`a client of ${apiMode} sends its key in one header and nowhere else, and its errors do not repeat it`, async () => {
    await using server = await startModelServer([says('ok'), failsWith(401, `bad key ${key}`)]);
    const credential: Credential = { type: 'key', reveal: () => ` ${key}\n` };
    await using client = await open(server, { baseUrl: `${server.baseUrl}//`, credential });

    await ask(client);
    const refused = await askForEnd(client);

    const [request] = server.requests;
    const { path, keyHeader } = habits[apiMode];
    assert.deepEqual(
      Object.entries(request?.headers ?? {}).filter(([, value]) => value.includes(key)),
      [keyHeader],
    );
    assert.equal(JSON.stringify([request?.path, request?.body]).includes(key), false);
    assert.deepEqual(
      [request?.method, request?.path, request?.headers['accept-encoding'], request?.headers['content-type']],
      ['POST', path, 'identity', 'application/json'],
    );
    assert.equal(
      refused?.type === 'failed' && 'message' in refused.failure && refused.failure.message,
      'bad key [redacted]',
    );
  });

  test(`a client of ${apiMode} fails, and does not throw, where its key cannot be read or sent`, async () => {
    await using server = await startModelServer([says('never')]);
    await using without = await open(server, { credential: locked });
    await using odd = await open(server, { credential: { type: 'key', reveal: () => 'a\nb' } });

    const failures = [await askForEnd(without), await askForEnd(odd)];

    assert.deepEqual(
      failures.map((event) => event?.type === 'failed' && event.failure.type),
      ['protocol', 'protocol'],
    );
    assert.equal(server.requests.length, 0);
  });

  test(`a client of ${apiMode} keeps its connections from one call to the next`, async () => {
    await using server = await startModelServer(() => says('ok'));
    await using client = await open(server);

    for (let asked = 0; asked < 10; asked += 1) await ask(client);

    const connections = new Set(server.requests.map(({ connection }) => connection));
    assert.equal(connections.size < 10, true, `${connections.size} connections for 10 calls`);
  });

  test(`a client of ${apiMode} closes its connections when it is closed, the idle ones and those in use`, async () => {
    await using server = await startModelServer([says('ok'), stallsAfter(10, says('never'))]);
    await using client = await open(server);
    await ask(client);
    const running = ask(client);
    await server.whenStalled();

    await client.close();

    await server.whenDisconnected();
    assert.equal((await running).at(-1)?.type, 'failed');
    assert.equal((await askForEnd(client))?.type, 'failed');
    assert.equal(server.requests.length, 2);
  });
}

/** An answer that stands still once its first words are out. */
function stallsInText(step: ModelStep): ModelStep {
  const body = bodyOf(step);
  return stallsAfter(Buffer.from(body).indexOf('three'), sendsRaw(body));
}
