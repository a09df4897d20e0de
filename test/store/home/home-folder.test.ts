import assert from 'node:assert/strict';
import { chmodSync, lchownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { homeAt, openHome } from '../../../src/store/home/home-folder.ts';
import { modesIn } from '../../support/store-folder-walk.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const skipUnlessRoot = process.getuid?.() === 0 ? false : 'only root can give a file to another user';

test('the first start makes the home and its folders, closed to others whatever the umask', async () => {
  await using temp = await makeTempFolder();
  const path = join(temp.path, 'some', 'where');
  const umask = process.umask(0);
  try {
    const home = await openHome({ TALARIA_HOME: path, HOME: '/nowhere' });

    assert.deepEqual(modesIn(path), { '': '700', cache: '700', files: '700', logs: '700', state: '700', tasks: '700' });
    assert.deepEqual(home, {
      path,
      configFile: join(path, 'config.yaml'),
      configJsonFile: join(path, 'config.json'),
      envFile: join(path, '.env'),
      state: join(path, 'state'),
      tasks: join(path, 'tasks'),
      files: join(path, 'files'),
      logs: join(path, 'logs'),
      cache: join(path, 'cache'),
      skills: join(path, 'skills'),
      trustFile: join(path, 'state', 'trusted-folders.json'),
      rulesFile: join(path, 'state', 'standing-rules.json'),
      liveMessagesFile: join(path, 'state', 'live-messages.json'),
      mcpLogins: join(path, 'state', 'mcp-logins'),
    });
  } finally {
    process.umask(umask);
  }
});

test('the page on privacy names every place of the home', () => {
  const page = readFileSync(new URL('../../../docs/privacy.md', import.meta.url), 'utf8');
  const { path, ...places } = homeAt({ TALARIA_HOME: '/home/of/talaria' });

  const unnamed = Object.values(places)
    .map((place) => relative(path, place))
    .filter((place) => !page.includes(`\`${place}`));

  assert.deepEqual(unnamed, []);
});

test('without a choice the home is .talaria in the home of the user', async () => {
  await using temp = await makeTempFolder();

  for (const env of [{ HOME: temp.path }, { HOME: temp.path, TALARIA_HOME: '' }])
    assert.equal((await openHome(env)).path, join(temp.path, '.talaria'));
});

test('a home that others could read is closed', async () => {
  await using temp = await makeTempFolder();
  const path = join(temp.path, 'home');
  mkdirSync(path, { mode: 0o755 });
  writeFileSync(join(path, 'config.yaml'), '');
  chmodSync(path, 0o755);

  await openHome({ TALARIA_HOME: path });

  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test('a folder that holds other things and is open to others is refused and left as it is', async () => {
  await using temp = await makeTempFolder();
  const path = join(temp.path, 'shared');
  mkdirSync(path);
  writeFileSync(join(path, 'thesis.txt'), '');
  // As there may well be in /tmp.
  mkdirSync(join(path, 'cache'));
  chmodSync(path, 0o755);

  await assert.rejects(openHome({ TALARIA_HOME: path }), { code: 'unsafe-home', message: /holds other things/ });

  assert.equal(statSync(path).mode & 0o777, 0o755);
});

test('a home that is a file is refused', async () => {
  await using temp = await makeTempFolder();
  const path = join(temp.path, 'file');
  writeFileSync(path, '');

  await assert.rejects(openHome({ TALARIA_HOME: path }), { code: 'unsafe-home', message: /not a folder/ });
});

test('a home behind a link of our own is used', async () => {
  await using temp = await makeTempFolder();
  mkdirSync(join(temp.path, 'real'), { mode: 0o700 });
  symlinkSync(join(temp.path, 'real'), join(temp.path, 'link'));

  await openHome({ TALARIA_HOME: join(temp.path, 'link') });

  assert.equal(modesIn(join(temp.path, 'real'))['state'], '700');
});

test('a home, or a link to one, that belongs to another user is refused', { skip: skipUnlessRoot }, async () => {
  await using temp = await makeTempFolder();
  const [foreign, link, linkToForeign] = ['foreign', 'link', 'link-to-foreign'].map((name) => join(temp.path, name));
  assert.ok(foreign !== undefined && link !== undefined && linkToForeign !== undefined);
  mkdirSync(foreign);
  mkdirSync(join(temp.path, 'own'));
  symlinkSync(join(temp.path, 'own'), link);
  symlinkSync(foreign, linkToForeign);
  for (const path of [foreign, link]) lchownSync(path, 12_345, 12_345);

  for (const path of [foreign, link, linkToForeign])
    await assert.rejects(openHome({ TALARIA_HOME: path }), {
      code: 'unsafe-home',
      message: /another user \(uid 12345/,
    });
});
