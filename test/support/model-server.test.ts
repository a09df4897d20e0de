import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';

import { callsTool, cutsAfter, delays, failsWith, says, stallsAfter } from './model-script.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';

async function post(server: ModelServer, body = '{"model":"m"}'): Promise<Response> {
  return await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body });
}

test('the scripted server answers in order, keeps every byte of a request, and says when the script has run out', async () => {
  await using server = await startModelServer([says('Hi.'), failsWith(503, 'busy', { 'x-test': 'yes' })]);
  const odd = '{"model":"m", "text":"Grüße\\u0000"}\n';

  const first = await (await post(server, odd)).text();
  const second = await post(server);
  const third = await post(server);

  assert.match(first, /"content":"Hi\."/);
  assert.match(first, /data: \[DONE\]\n\n$/);
  assert.deepEqual([second.status, second.headers.get('x-test'), await second.text()], [503, 'yes', 'busy']);
  assert.deepEqual([third.status, /no answer for request 3/.test(await third.text())], [500, true]);
  assert.equal(server.requests[0]?.body, odd);
  assert.deepEqual(Buffer.from(server.requests[0]?.bytes ?? []), Buffer.from(odd));
});

test('a script can be a function of the request, and answers can be added to a list', async () => {
  await using decided = await startModelServer((seen, index) => (index < 2 ? says(`${seen.body}${index}`) : undefined));
  await using listed = await startModelServer();
  listed.add(callsTool('a', {}));

  assert.match(await (await post(decided, 'x')).text(), /"x0"/);
  assert.match(await (await post(decided, 'y')).text(), /"y1"/);
  assert.equal((await post(decided)).status, 500);
  assert.match(await (await post(listed)).text(), /"id":"call_1_1"/);
});

test('an answer can wait, stand still until it is released, and break off', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer([
    delays(gate.promise, says('late')),
    stallsAfter(20, says('halfway')),
    cutsAfter(20, says('never')),
  ]);

  const late = post(server);
  await server.whenRequested(1);
  gate.resolve();
  assert.match(await (await late).text(), /late/);

  const halfway = await post(server);
  await server.whenStalled();
  server.release();
  assert.match(await halfway.text(), /halfway.*\[DONE\]/s);

  const broken = await post(server);
  await assert.rejects(broken.text());
});

test('the server knows when its clients are gone', async () => {
  await using server = await startModelServer([stallsAfter(0, says('never'))]);
  const client = request(server.baseUrl, { method: 'POST' });
  client.on('error', () => client.destroy());
  client.end('{}');
  await server.whenStalled();
  assert.equal(server.openConnections, 1);

  client.destroy();

  await server.whenDisconnected();
  assert.equal(server.stalledAnswers, 0);
});
