import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../src/base/clock.ts';
import { createAnthropicMessages } from '../../src/providers/anthropic-messages.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openAnthropic } from './anthropic-setup.ts';
import { ask, patientTimeouts, requestOf, runtimeAt } from './chat-setup.ts';

const key = 'test-key-0123456789';

test('a key goes into one header of the request, and nowhere else', async () => {
  await using server = await startModelServer([saysAnthropic('ok')]);
  await using chat = openAnthropic(server, { runtime: { credential: { type: 'key', reveal: () => ` ${key}\n` } } });

  await ask(chat);

  const [request] = server.requests;
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request?.headers ?? {};
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    'anthropic-version': '2023-06-01',
    'x-api-key': key,
  });
  assert.deepEqual([request?.method, request?.path], ['POST', '/v1/messages']);
  assert.equal(request?.body.includes(key), false);
});

test('a login is sent as a bearer token, and not as a key', async () => {
  await using server = await startModelServer([saysAnthropic('ok')]);
  await using chat = openAnthropic(server, {
    runtime: { credential: { type: 'key', reveal: () => 'sk-ant-oat01-abc\n' } },
  });

  await ask(chat);

  const headers = server.requests[0]?.headers ?? {};
  assert.equal(headers['authorization'], 'Bearer sk-ant-oat01-abc');
  assert.equal(headers['anthropic-beta'], 'oauth-2025-04-20');
  assert.equal('x-api-key' in headers, false);
});

test('a server without a key gets none', async () => {
  await using server = await startModelServer([saysAnthropic('ok')]);
  await using chat = openAnthropic(server);

  await ask(chat);

  const headers = server.requests[0]?.headers ?? {};
  assert.deepEqual(['x-api-key' in headers, 'authorization' in headers], [false, false]);
});

test('an address is good with and without the version at its end', async () => {
  const table = [
    ['/v1', '/v1/messages'],
    ['/v1/', '/v1/messages'],
    ['', '/v1/messages'],
    ['/anthropic', '/anthropic/v1/messages'],
    ['/anthropic/v2', '/anthropic/v2/messages'],
  ];
  for (const [path, expected] of table) {
    await using server = await startModelServer([saysAnthropic('ok')]);
    await using chat = openAnthropic(server, { runtime: { baseUrl: `${server.origin}${path}` } });

    await ask(chat);

    assert.equal(server.requests[0]?.path, expected);
  }
});

test('a server gets the reasoning of its own vendor back', async () => {
  await using server = await startModelServer([saysAnthropic('ok')]);
  await using chat = openAnthropic(server, { runtime: { vendor: 'minimax' } });
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };
  const reasoning = { vendor: 'minimax', text: 'Hm.', items: [thought] };

  await ask(
    chat,
    requestOf({
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'a' }], calls: [], reasoning },
        { role: 'user', parts: [{ type: 'text', text: 'on' }] },
      ],
    }),
  );

  assert.equal(server.requests[0]?.body.includes(JSON.stringify(thought)), true);
});

test('a client that keeps what was read for an hour says so at its markers', async () => {
  await using server = await startModelServer([saysAnthropic('ok')]);
  const transport = new HttpTransport({ timeouts: () => patientTimeouts });
  const client = createAnthropicMessages(runtimeAt(server.baseUrl, { cacheLife: '1h' }), transport, systemClock);

  await ask(client);
  await client.close();

  assert.match(server.requests[0]?.body ?? '', /"cache_control":\{"type":"ephemeral","ttl":"1h"\}/);
});
