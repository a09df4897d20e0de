import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { says } from '../support/model-script.ts';
import type { WebEvent, WebEvents } from '../support/web-events.ts';
import { openWebHouse } from '../support/web-house.ts';

test('a link lets one browser in, and is of no use to a second one', async () => {
  await using house = await openWebHouse();
  const code = await house.newCode();

  const first = await house.ask('/api/login', { body: { code } });
  const second = await house.ask('/api/login', { body: { code } });

  const [cookie = ''] = first.headers['set-cookie'] ?? [];
  assert.match(cookie, /^talaria_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  assert.deepEqual([first.status, second.status], [200, 401]);
  assert.equal(second.headers['set-cookie'], undefined);
  assert.match(String(second.json['error']), /was used or is too old/);
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  assert.equal((await house.ask('/api/chats', { headers })).status, 200);
});

test('behind a proxy with TLS the cookie never goes out without it', async () => {
  await using house = await openWebHouse({ web: { allowed_hosts: ['agent.example'] } });
  const headers = { host: 'agent.example', origin: 'https://agent.example' };

  const answer = await house.ask('/api/login', { headers, body: { code: await house.newCode() } });

  assert.match(answer.headers['set-cookie']?.[0] ?? '', /; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure$/);
});

test('of two browsers that come with the same code at the same moment one is let in', async () => {
  await using house = await openWebHouse();
  const code = await house.newCode();

  const answers = await Promise.all([1, 2, 3].map(() => house.ask('/api/login', { body: { code } })));

  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 401).length, 2);
});

test('a link carries its code where no server sees it, and the code of an earlier run is worth nothing', async () => {
  await using house = await openWebHouse();
  const link = await house.askDesk({ type: 'link' });
  await house.close();
  await house.open();

  const { status } = await house.ask('/api/login', { body: { code: link.split('#code=')[1] ?? '' } });

  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}$/);
  assert.equal(status, 401);
});

test('without a login or the token nothing but the page is answered', async () => {
  await using house = await openWebHouse();
  const paths = ['/api/chats', '/api/chats/one/history', '/api/chats/one/events'];
  const posts = ['/api/chats/one/messages', '/api/chats/one/answers', '/api/chats/one/stop', '/api/logout'];

  const answers = [
    ...(await Promise.all(paths.map((path) => house.ask(path)))),
    ...(await Promise.all(posts.map((path) => house.ask(path, { body: { id: 'x', text: 'hello' } })))),
    await house.ask('/api/chats', { headers: { cookie: 'talaria_1=nonsense' } }),
    await house.ask('/api/chats', { headers: { authorization: 'Bearer nonsense' } }),
    await house.ask('/api/chats?token=nonsense'),
  ];

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
  assert.equal(house.model.requests.length, 0);
});

test('ten wrong codes shut out further ones, right or wrong', async () => {
  await using house = await openWebHouse();
  const right = await house.newCode();

  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    statuses.push((await house.ask('/api/login', { body: { code: `wrong-${count}` } })).status);
  }
  const late = await house.ask('/api/login', { body: { code: right } });

  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
  assert.equal(late.status, 429);
  const guessing = await house.ask('/api/chats', { headers: { authorization: 'Bearer guess' } });
  assert.equal(guessing.status, 429);
});

test('a login outlives a restart, and the store holds only its digest', async () => {
  await using house = await openWebHouse();
  const cookie = await house.logIn();
  await house.close();
  const database = new DatabaseSync(join(house.home, 'state', 'talaria.db'), { readOnly: true });
  const rows = database.prepare('SELECT digest FROM web_logins').all();
  database.close();
  await house.open();

  const { status } = await house.ask('/api/chats', { headers: { cookie } });

  const secret = cookie.split('=')[1] ?? '';
  assert.equal(status, 200);
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(secret));
});

function isSaid({ event }: WebEvent): boolean {
  return event === 'said';
}

/** What becomes of a stream once something is said in its chat: one that is still open hears it. */
async function outcomeOf(stream: WebEvents): Promise<'ended' | 'heard'> {
  return await Promise.race([
    stream.ended.then(() => 'ended' as const),
    stream.when(isSaid).then(() => 'heard' as const),
  ]);
}

test('a logout ends that login, on its next request and where it is being followed, and no other', async () => {
  await using house = await openWebHouse();
  const [cookie, other] = [await house.logIn(), await house.logIn()];
  using stream = await house.follow('one', { cookie });
  using otherStream = await house.follow('one', { cookie: other });
  await stream.when(({ event }) => event === 'standing');
  await otherStream.when(({ event }) => event === 'standing');

  await house.ask('/api/logout', { headers: { cookie }, body: {} });
  await house.ask('/api/chats/one/messages', { headers: { cookie: other }, body: { id: '1', text: '/help' } });

  assert.deepEqual([await outcomeOf(stream), await outcomeOf(otherStream)], ['ended', 'heard']);
  assert.equal((await house.ask('/api/chats', { headers: { cookie } })).status, 401);
  assert.equal((await house.ask('/api/chats', { headers: { cookie: other } })).status, 200);
});

test('talaria gateway logout ends every login at once, and every link that was not used', async () => {
  await using house = await openWebHouse();
  const [cookie, code] = [await house.logIn(), await house.newCode()];
  using stream = await house.follow('one', { cookie });
  using program = await house.follow('one');
  await stream.when(({ event }) => event === 'standing');

  const told = await house.askDesk({ type: 'logout' });
  await house.say('/help');

  assert.deepEqual([await outcomeOf(stream), await outcomeOf(program)], ['ended', 'heard']);
  assert.equal(told, 'One browser is logged out.');
  assert.equal((await house.ask('/api/chats', { headers: { cookie } })).status, 401);
  assert.equal((await house.ask('/api/login', { body: { code } })).status, 401);
});

test('where no gateway runs there is no link, and browsers are logged out all the same', async () => {
  await using house = await openWebHouse();
  const cookie = await house.logIn();
  await house.close();

  const [link, logout] = [await house.askDesk({ type: 'link' }), await house.askDesk({ type: 'logout' })];
  await house.open();

  assert.match(link, /^there is no page to link to: no gateway runs here/);
  assert.equal(logout, 'One browser is logged out.');
  assert.equal((await house.ask('/api/chats', { headers: { cookie } })).status, 401);
});

test('neither a code nor a login nor the token is found in a log or in the store', async () => {
  await using house = await openWebHouse({ script: () => says('Hello.') });
  const code = await house.newCode();
  const { headers } = await house.ask('/api/login', { body: { code } });
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const program = await house.asProgram();
  using stream = await house.follow('one', { cookie });
  await house.say('hi');
  await stream.when(({ event }) => event === 'over');
  for (const sent of [{ cookie }, program]) {
    await house.ask('/api/chats/one/messages', { headers: sent, body: '{' });
    await house.ask(`/api/login`, { headers: sent, body: { code } });
  }
  await house.close();

  const secrets = [code, cookie.split('=')[1] ?? '', program['authorization']?.split(' ')[1] ?? ''];
  const files = await readdir(house.home, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile() && each.name !== 'web-token')) {
    const text = await readFile(join(file.parentPath, file.name), 'latin1');
    for (const secret of secrets) assert.ok(secret.length > 30 && !text.includes(secret), file.name);
  }
});

test('the token for programs is a private file that stays, and is replaced where others could read it', async () => {
  await using house = await openWebHouse({ script: () => says('Hello.') });
  const path = join(house.home, 'web-token');
  const [{ mode }, first] = [await stat(path), await readFile(path, 'utf8')];
  await house.close();
  await house.open();
  const kept = await readFile(path, 'utf8');
  const before = await house.asProgram();
  await house.close();
  await chmod(path, 0o644);
  await house.open();

  assert.equal(mode & 0o777, 0o600);
  assert.equal(kept, first);
  assert.equal((await house.ask('/api/chats', { headers: before })).status, 401);
  assert.equal((await house.ask('/api/chats', { headers: await house.asProgram() })).status, 200);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});
