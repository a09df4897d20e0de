import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import type { ModelEvent } from '../../src/model/provider.ts';
import { decideTimeouts } from '../../src/providers/http-timeouts.ts';
import type { HttpTimeouts } from '../../src/providers/http-timeouts.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import type { TransportAnswer } from '../../src/providers/transport.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { bodyOf, says, sendsRaw, stallsAfter, staysSilent } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ask, openChat, patientTimeouts, requestOf } from './chat-setup.ts';

const limits: HttpTimeouts = { connectMs: 10_000, silenceMs: 1000, totalMs: 100_000 };

interface RawServer extends AsyncDisposable {
  readonly port: number;
}

/** A server of bytes, not of HTTP. */
async function listenRaw(serve: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function sendTo(
  url: string,
  timeouts: HttpTimeouts = patientTimeouts,
  clock?: ManualClock,
): Promise<TransportAnswer> {
  const transport = new HttpTransport({ timeouts: () => timeouts, ...(clock === undefined ? {} : { clock }) });
  try {
    return await transport.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
  } finally {
    await transport.close();
  }
}

test('a refused connection is a connect error', async () => {
  const server = await startModelServer();
  const url = server.baseUrl;
  const { host } = new URL(url);
  await server.close();

  assert.deepEqual(await sendTo(url), {
    type: 'failed',
    failure: { type: 'transport', kind: 'connect-error', message: `cannot reach ${host} (ECONNREFUSED)` },
  });
});

test('a server that does not speak TLS where it should is a connect error', async () => {
  await using server = await startModelServer();

  const answer = await sendTo(server.baseUrl.replace('http:', 'https:'));

  assert.deepEqual(
    answer.type === 'failed' && answer.failure.type === 'transport' && answer.failure.kind,
    'connect-error',
  );
});

test('a server that does not speak HTTP is refused as such', async () => {
  await using server = await listenRaw((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.9\r\n')));

  const answer = await sendTo(`http://127.0.0.1:${server.port}/v1`);

  assert.equal(answer.type === 'failed' && answer.failure.type, 'protocol');
});

test('an address that is no address is refused without a throw', async () => {
  for (const url of ['not an address', 'ftp://127.0.0.1/', 'demo:/x']) {
    const answer = await sendTo(url);
    assert.equal(answer.type === 'failed' && answer.failure.type, 'protocol', url);
  }
});

test('an abort from before the call reaches no server', async () => {
  await using server = await startModelServer();
  const transport = new HttpTransport({ timeouts: () => patientTimeouts });

  const answer = await transport.send({ url: server.baseUrl, headers: {}, body: '{}' }, AbortSignal.abort());

  assert.deepEqual(answer, { type: 'failed', failure: { type: 'aborted' } });
  assert.equal(server.openConnections, 0);
});

test('a connection that does not come about in time is a connect timeout', async () => {
  const clock = new ManualClock();
  const isReached = Promise.withResolvers<void>();
  // It takes the connection and never answers the handshake.
  await using server = await listenRaw((socket) => socket.once('data', () => isReached.resolve()));

  const sending = sendTo(`https://127.0.0.1:${server.port}/v1`, limits, clock);
  await isReached.promise;
  for (let step = 0; step < 10; step += 1) {
    await clock.whenSomeoneSleeps();
    clock.advance(1000);
  }

  const answer = await sending;
  assert.deepEqual(answer.type === 'failed' && answer.failure, {
    type: 'transport',
    kind: 'connect-timeout',
    message: `127.0.0.1:${server.port} did not take the connection in time`,
  });
});

test('silence before the answer is a read timeout', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([staysSilent()]);
  await using chat = openChat(server, { transport: { clock, timeouts: () => limits } });

  const events = ask(chat);
  await server.whenStalled();
  clock.advance(1000);

  assert.deepEqual(await events, [
    {
      type: 'failed',
      failure: {
        type: 'transport',
        kind: 'read-timeout',
        message: `${new URL(server.origin).host} was silent for 1 s`,
      },
    },
  ]);
  await server.whenDisconnected();
});

/** An answer that stands still behind each of its words. */
function haltingWords(): ModelStep {
  const body = Buffer.from(bodyOf(says('one two')));
  const behind = (word: string): number => body.indexOf('\n\n', body.indexOf(word)) + 2;
  return stallsAfter(behind('two'), stallsAfter(behind('one'), sendsRaw(body)));
}

test('silence inside the answer is a read timeout', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([haltingWords()]);
  await using chat = openChat(server, { transport: { clock, timeouts: () => limits } });
  const stream = chat.stream(requestOf(), new AbortController().signal)[Symbol.asyncIterator]();
  await stream.next();

  const next = stream.next();
  await setImmediate();
  clock.advance(1000);

  assert.deepEqual((await next).value, {
    type: 'failed',
    failure: { type: 'transport', kind: 'read-timeout', message: `${new URL(server.origin).host} was silent for 1 s` },
  });
});

test('every byte ends a silence', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([haltingWords()]);
  await using chat = openChat(server, { transport: { clock, timeouts: () => limits } });
  const stream = chat.stream(requestOf(), new AbortController().signal)[Symbol.asyncIterator]();
  await stream.next();

  const types: (string | undefined)[] = [];
  for (let word = 0; word < 2; word += 1) {
    const next = stream.next();
    await server.whenStalled();
    await setImmediate();
    clock.advance(700);
    server.release();
    types.push(((await next).value as ModelEvent | undefined)?.type);
  }

  assert.deepEqual(types, ['text.delta', 'finished']);
});

test('an answer that never ends is ended by the deadline, even where silence is allowed', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([stallsAfter(10, says('never'))]);
  await using chat = openChat(server, { transport: { clock, timeouts: () => ({ ...limits, silenceMs: undefined }) } });

  const events = ask(chat);
  await server.whenStalled();
  clock.advance(10_000);
  await clock.whenSomeoneSleeps();
  clock.advance(90_000);

  assert.deepEqual((await events).at(-1), {
    type: 'failed',
    failure: {
      type: 'transport',
      kind: 'read-timeout',
      message: `${new URL(server.origin).host} did not finish its answer in time`,
    },
  });
});

test('whoever reads slowly is not taken for a silent server', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([says('one two three')]);
  await using chat = openChat(server, { transport: { clock, timeouts: () => limits } });

  const types: string[] = [];
  for await (const event of chat.stream(requestOf(), new AbortController().signal)) {
    types.push(event.type);
    clock.advance(5000);
  }

  assert.deepEqual(types, ['text.delta', 'text.delta', 'text.delta', 'finished']);
});

test('connections are kept from one call to the next, even if something trails the closing mark', async () => {
  const step = sendsRaw([bodyOf(says('ok')), ': bye\n\n', ': bye\n\n']);
  await using server = await startModelServer(() => step);
  await using chat = openChat(server);

  for (let call = 0; call < 10; call += 1) await ask(chat);

  const connections = new Set(server.requests.map((request) => request.connection));
  assert.equal(connections.size < 10, true, `${connections.size} connections for 10 calls`);
});

test('a server that keeps an answer open behind its closing mark is left', async () => {
  const clock = new ManualClock();
  const body = bodyOf(says('done'));
  await using server = await startModelServer([stallsAfter(body.length, sendsRaw([body, 'more']))]);
  await using chat = openChat(server, { transport: { clock } });

  const events = await ask(chat);
  await server.whenStalled();
  clock.advance(100);

  assert.equal(events.at(-1)?.type, 'finished');
  await server.whenDisconnected();
});

test('the time to wait depends on where the model is and how much it has to read', () => {
  const silences = [
    decideTimeouts('remote', 1000),
    decideTimeouts('remote', 300_000),
    decideTimeouts('remote', 500_000),
    decideTimeouts('local', 500_000),
  ].map((timeouts) => timeouts.silenceMs);

  assert.deepEqual(silences, [180_000, 240_000, 300_000, undefined]);
});
