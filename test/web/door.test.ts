import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { judgeRequest } from '../../src/web/judge-request.ts';
import type { RequestMarks } from '../../src/web/judge-request.ts';
import { openWebHouse } from '../support/web-house.ts';

const hosts = new Set(['127.0.0.1:8787', 'talaria.example']);
const plain: RequestMarks = {
  method: 'GET',
  path: '/api/chats',
  host: '127.0.0.1:8787',
  origin: undefined,
  site: undefined,
  mode: undefined,
  contentType: undefined,
};
const post = { ...plain, method: 'POST', contentType: 'application/json' };

const table: readonly (readonly [string, RequestMarks, 200 | 403 | 415 | 421])[] = [
  ['a program on this machine', plain, 200],
  ['our own page', { ...post, origin: 'http://127.0.0.1:8787', site: 'same-origin' }, 200],
  ['our own page behind a proxy', { ...post, host: 'Talaria.example', origin: 'https://talaria.example' }, 200],
  ['an address that was typed', { ...plain, path: '/', site: 'none', mode: 'navigate' }, 200],
  ['a link on another site', { ...plain, path: '/', site: 'cross-site', mode: 'navigate' }, 200],
  ['a link on another site into the interface', { ...plain, site: 'cross-site', mode: 'navigate' }, 403],
  ['a name that was made to point here', { ...plain, host: 'evil.example:8787' }, 421],
  ['another port of this machine', { ...plain, host: '127.0.0.1:9999' }, 421],
  ['no host at all', { ...plain, host: undefined }, 421],
  ['a script of another site', { ...post, origin: 'https://evil.example', site: 'cross-site' }, 403],
  ['a script of another port', { ...post, origin: 'http://127.0.0.1:3000', site: 'same-site' }, 403],
  ['a script without an origin', { ...post, origin: 'null' }, 403],
  ['a picture on another site', { ...plain, site: 'cross-site', mode: 'no-cors' }, 403],
  ['an extension', { ...post, origin: 'chrome-extension://127.0.0.1:8787' }, 403],
  ['a form', { ...post, contentType: 'application/x-www-form-urlencoded' }, 415],
  ['a form that calls itself text', { ...post, contentType: 'text/plain' }, 415],
  ['a body of no kind', { ...post, contentType: undefined }, 415],
];

for (const [who, marks, status] of table) {
  test(`${who} is ${status === 200 ? 'let through' : `refused with ${status}`}`, () => {
    const verdict = judgeRequest(marks, hosts);

    assert.equal(verdict.type === 'passed' ? 200 : verdict.status, status);
  });
}

test('a wrong Host or Origin is refused on every route, with the token and all', async () => {
  await using house = await openWebHouse();
  const headers = await house.asProgram();
  const wrong = [{ host: 'evil.example' }, { origin: 'http://evil.example' }, { 'sec-fetch-site': 'same-site' }];

  for (const marks of wrong) {
    for (const path of ['/api/chats', '/api/chats/one/history', '/api/chats/one/events', '/page.js']) {
      const { status } = await house.ask(path, { headers: { ...headers, ...marks } });
      assert.ok(status === 403 || status === 421, `${path} ${JSON.stringify(marks)}: ${status}`);
    }
    const sent = await house.ask('/api/chats/one/messages', {
      headers: { ...headers, ...marks },
      body: { id: '1', text: 'hello' },
    });
    assert.ok(sent.status === 403 || sent.status === 421);
  }
  assert.equal(house.model.requests.length, 0);
});

test('every answer, errors included, tells browsers to run nothing but our own files and to share nothing', async () => {
  await using house = await openWebHouse();

  for (const path of ['/', '/page.js', '/api/chats', '/nowhere']) {
    const { headers } = await house.ask(path, { headers: { origin: house.origin } });
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
  const reading = new AbortController();
  const stream = await fetch(`${house.origin}/api/chats/one/events`, {
    headers: await house.asProgram(),
    signal: reading.signal,
  });
  assert.match(stream.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(stream.headers.get('cache-control'), 'no-cache');
  reading.abort();
});

test('only files of the page are served, whatever a path looks like', async () => {
  await using house = await openWebHouse();
  const paths = ['/../package.json', '/..%2fpackage.json', '/tsconfig.json', '/ui/page.js', '//etc/passwd'];

  const answers = await Promise.all(paths.map((path) => house.ask(path)));

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
});

test('a body that is too long, is no JSON or lacks something is refused before anything is done', async () => {
  await using house = await openWebHouse();
  const headers = await house.asProgram();
  const send = async (body: string): Promise<number> =>
    (await house.ask('/api/chats/one/messages', { headers, body })).status;

  assert.equal(await send(JSON.stringify({ id: '1', text: 'x'.repeat(300_000) })), 413);
  assert.equal(await send('{'), 400);
  assert.equal(await send('{"id":"1"}'), 400);
  assert.equal(await send('{"id":"../1","text":"hello"}'), 400);
  const chats = ['%2e%2e', 'A', 'a'.repeat(65)].map((chat) => house.say('hello', chat));
  assert.deepEqual(
    (await Promise.all(chats)).map(({ status }) => status),
    [404, 404, 404],
  );
  assert.equal(house.model.requests.length, 0);
});

test('of a stranger no body is read, however long it is or slowly it comes', async () => {
  await using house = await openWebHouse();
  const { port } = new URL(house.origin);
  const connection = connect({ host: '127.0.0.1', port: Number(port) });
  let answer = '';
  connection.on('data', (chunk) => (answer += String(chunk)));

  const head = ['POST /api/chats/one/messages HTTP/1.1', `host: 127.0.0.1:${port}`, 'content-type: application/json'];
  connection.write(`${[...head, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`);
  while (!answer.includes('log in first')) await once(connection, 'data');
  connection.destroy();

  assert.match(answer, /^HTTP\/1\.1 401 /);
});

test('a host that other machines can reach is refused unless the settings say that it is meant', async () => {
  await assert.rejects(openWebHouse({ web: { host: '0.0.0.0' } }), {
    code: 'bad-config',
    message: /web\.host 0\.0\.0\.0 can be reached by other machines: set web\.expose/,
  });
  await using house = await openWebHouse({ web: { host: '0.0.0.0', expose: true, allowed_hosts: 'agent.example' } });

  assert.match(house.reported.join('\n'), /^the page can be reached by other machines, at 0\.0\.0\.0/);
  assert.equal((await house.ask('/', { headers: { host: 'agent.example' } })).status, 200);
  assert.equal((await house.ask('/', { headers: { host: 'other.example' } })).status, 421);
});

test('it listens on this machine alone', async () => {
  await using house = await openWebHouse();

  const connection = connect({ host: '127.0.0.2', port: Number(new URL(house.origin).port) });
  const [error] = (await once(connection, 'error')) as [NodeJS.ErrnoException];

  assert.equal(error.code, 'ECONNREFUSED');
});

test('a port of the settings that is taken is said; the usual one gives way to a free one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  await assert.rejects(openWebHouse({ web: { port } }), {
    code: 'bad-config',
    message: `the page cannot be served at 127.0.0.1, port ${port}: it is taken; set another web.port, or web.enabled to false`,
  });
  other.close();
});
