import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ModelEvent } from '../../src/model/provider.ts';
import { delays, says, stallsAfter } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ask, askForEnd, openChat, requestOf } from './chat-setup.ts';

test('an abort from before the call is a failure: the server hears nothing, and no key is asked for', async () => {
  await using server = await startModelServer([says('never')]);
  await using chat = openChat(server, { runtime: { credential: { type: 'key', reveal: throwLocked } } });

  const events = await ask(chat, requestOf(), AbortSignal.abort());

  assert.deepEqual(events, [{ type: 'failed', failure: { type: 'aborted' } }]);
  assert.deepEqual([server.requests.length, server.openConnections], [0, 0]);
});

test('an abort in the middle of an answer ends it and drops the connection', async () => {
  await using server = await startModelServer([stallsAfter(400, says('one two three four five six'))]);
  await using chat = openChat(server);
  const abort = new AbortController();

  const events: ModelEvent[] = [];
  for await (const event of chat.stream(requestOf(), abort.signal)) {
    events.push(event);
    await server.whenStalled();
    abort.abort();
  }

  assert.deepEqual(events.at(-1), { type: 'failed', failure: { type: 'aborted' } });
  assert.equal(events.filter((event) => event.type === 'failed' || event.type === 'finished').length, 1);
  await server.whenDisconnected();
});

test('an abort while the server has not answered yet ends the call', async () => {
  await using server = await startModelServer([delays(new Promise(() => undefined), says('never'))]);
  await using chat = openChat(server);
  const abort = new AbortController();

  const events = ask(chat, requestOf(), abort.signal);
  await server.whenRequested(1);
  abort.abort();

  assert.deepEqual(await events, [{ type: 'failed', failure: { type: 'aborted' } }]);
  await server.whenDisconnected();
});

test('whoever stops listening lets go of the connection', async () => {
  await using server = await startModelServer([stallsAfter(400, says('one two three four five six'))]);
  await using chat = openChat(server);

  for await (const event of chat.stream(requestOf(), new AbortController().signal)) {
    assert.equal(event.type, 'text.delta');
    break;
  }

  await server.whenDisconnected();
});

test('the key goes into one header of the request and nowhere else', async () => {
  const key = 'test-key-0123456789';
  await using server = await startModelServer([says('ok')]);
  await using chat = openChat(server, { runtime: { credential: { type: 'key', reveal: () => ` ${key}\n` } } });

  await ask(chat);

  const [request] = server.requests;
  assert.equal(request?.headers['authorization'], `Bearer ${key}`);
  assert.equal(JSON.stringify([request?.path, request?.body]).includes(key), false);
  assert.deepEqual(
    [request?.method, request?.path, request?.headers['accept-encoding'], request?.headers['content-type']],
    ['POST', '/v1/chat/completions', 'identity', 'application/json'],
  );
});

test('a key that cannot be read or sent is a failure, not a throw', async () => {
  await using server = await startModelServer([says('never')]);
  await using without = openChat(server, { runtime: { credential: { type: 'key', reveal: throwLocked } } });
  await using odd = openChat(server, { runtime: { credential: { type: 'key', reveal: () => 'a\nb' } } });

  const failures = [await askForEnd(without), await askForEnd(odd)];

  assert.deepEqual(
    failures.map((event) => event?.type === 'failed' && event.failure.type),
    ['protocol', 'protocol'],
  );
  assert.equal(server.requests.length, 0);
});

test('closing the client closes its connections', async () => {
  await using server = await startModelServer([says('ok'), stallsAfter(10, says('never'))]);
  const chat = openChat(server);
  await ask(chat);
  const running = ask(chat);
  await server.whenStalled();

  await chat.close();

  await server.whenDisconnected();
  assert.equal((await running).at(-1)?.type, 'failed');
  assert.equal((await askForEnd(chat))?.type, 'failed');
  assert.equal(server.requests.length, 2);
});

function throwLocked(): string {
  throw new Error('the keyring is locked');
}
