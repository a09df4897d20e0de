import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HeldLogin } from '../../../src/model/mcp-logins.ts';
import { FileMcpLogins } from '../../../src/store/home/mcp-logins.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const url = 'https://tides.example/mcp';

const held: HeldLogin = {
  type: 'held',
  url,
  client: { client_id: 'us', client_secret: 'salt-and-sand' },
  discovery: { authorizationServerUrl: 'https://login.example' },
  tokens: { access_token: 'high-water-mark', refresh_token: 'spring-tide' },
  expiresAt: 1,
};

test('a login that one process keeps another one reads, at its address alone, until it is removed', async () => {
  await using folder = await makeTempFolder();
  const [here, there] = [new FileMcpLogins(folder.path), new FileMcpLogins(folder.path)];
  const none = there.stamp('tides');

  await here.write('tides', held);
  const kept = there.read('tides', url);
  const elsewhere = there.read('tides', 'https://other.example/mcp');
  const stamp = there.stamp('tides');
  const [first, second] = [await here.remove('tides'), await here.remove('tides')];

  assert.deepEqual(kept, held);
  assert.equal(elsewhere, undefined);
  assert.notEqual(stamp, none);
  assert.deepEqual(there.secrets(), ['high-water-mark', 'spring-tide', 'salt-and-sand']);
  assert.deepEqual([first, second, there.read('tides', url)], [true, false, undefined]);
});

test('a file of a login that was opened to others is closed again, and one that is broken is no login', async () => {
  await using folder = await makeTempFolder();
  const logins = new FileMcpLogins(folder.path);
  await logins.write('tides', held);
  const file = join(folder.path, 'tides.json');
  await chmod(file, 0o644);

  const kept = new FileMcpLogins(folder.path).read('tides', url);
  const mode = (await stat(file)).mode & 0o777;
  await writeFile(file, '{"type":"held","url":"https://tides.example/mcp","tokens":7}');

  assert.deepEqual([kept, mode], [held, 0o600]);
  assert.equal(logins.read('tides', url), undefined);
});

test('the lock of a process that died over its work holds nobody up, and none is left behind', async () => {
  await using folder = await makeTempFolder();
  const { pid } = spawnSync('true');
  await writeFile(join(folder.path, 'tides.json.lock'), String(pid));
  const logins = new FileMcpLogins(folder.path);
  const order: string[] = [];

  await Promise.all(
    ['one', 'two'].map((name) =>
      logins.exclusively('tides', async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
      }),
    ),
  );

  assert.deepEqual(order, ['one begins', 'one ends', 'two begins', 'two ends']);
  assert.deepEqual(await readdir(folder.path), []);
});

test('what is no name of a server is no name of a file', async () => {
  await using folder = await makeTempFolder();

  assert.throws(() => new FileMcpLogins(folder.path).read('../env', url), /is not the name of an MCP server/);
});
