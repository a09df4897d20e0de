import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSecrets } from '../../../src/store/home/env-file.ts';
import { openHome } from '../../../src/store/home/home-folder.ts';
import type { HomeFolder } from '../../../src/store/home/home-folder.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

async function openTempHome(): Promise<AsyncDisposable & { readonly home: HomeFolder }> {
  const folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: folder.path });
  return { home, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('a key comes from the environment, or else from the file; an empty one counts as none', async () => {
  await using temp = await openTempHome();
  const lines = ['\uFEFFBOTH=of-file', 'FILE_ONLY="quoted value" # comment', 'EMPTY=', 'EMPTY_OUTSIDE=of-file', ''];
  writeFileSync(temp.home.envFile, lines.join('\r\n'), { mode: 0o600 });

  const secrets = await loadSecrets(temp.home, { BOTH: 'of-environment', OUTSIDE_KEY: 'outside', EMPTY_OUTSIDE: '' });

  const names = ['BOTH', 'FILE_ONLY', 'OUTSIDE_KEY', 'EMPTY', 'EMPTY_OUTSIDE', 'MISSING'];
  assert.deepEqual(
    names.map((name) => secrets.get(name)),
    ['of-environment', 'quoted value', 'outside', undefined, 'of-file', undefined],
  );
  assert.deepEqual(secrets.warnings, []);
});

test('what must not be logged is every value of the file and whatever the environment calls a secret', async () => {
  await using temp = await openTempHome();
  writeFileSync(temp.home.envFile, 'A=first\nB=second', { mode: 0o600 });

  const secrets = await loadSecrets(temp.home, {
    A: 'replaced',
    SOME_API_KEY: 'a-key',
    BOT_TOKEN: 'a-token',
    PATH: '/bin',
  });

  assert.deepEqual(new Set(secrets.values()), new Set(['first', 'second', 'replaced', 'a-key', 'a-token']));
});

test('nothing of the file enters the environment, where every child process would inherit it', async () => {
  await using temp = await openTempHome();
  writeFileSync(temp.home.envFile, 'TALARIA_TEST_SECRET=hidden', { mode: 0o600 });
  const before = { ...process.env };

  const secrets = await loadSecrets(temp.home, process.env);

  assert.equal(secrets.get('TALARIA_TEST_SECRET'), 'hidden');
  assert.deepEqual({ ...process.env }, before);
});

test('permissions that were loosened are set back, with a warning that tells no secret', async () => {
  await using temp = await openTempHome();
  writeFileSync(temp.home.envFile, 'KEY=hidden');
  chmodSync(temp.home.envFile, 0o644);

  const secrets = await loadSecrets(temp.home, {});

  assert.equal(statSync(temp.home.envFile).mode & 0o777, 0o600);
  assert.equal(secrets.get('KEY'), 'hidden');
  assert.deepEqual(secrets.warnings, [
    `${temp.home.envFile} was open to other users; its permissions are set back to 0600`,
  ]);
  assert.deepEqual((await loadSecrets(temp.home, {})).warnings, []);
});

test('without the file there are no secrets but those of the environment, and no warning', async () => {
  await using temp = await openTempHome();

  const secrets = await loadSecrets(temp.home, { KEY: 'outside' });

  assert.deepEqual([secrets.get('KEY'), secrets.values(), secrets.warnings], ['outside', ['outside'], []]);
});

test('a file that cannot be read is a warning', async () => {
  await using temp = await openTempHome();
  mkdirSync(temp.home.envFile);

  const secrets = await loadSecrets(temp.home, { KEY: 'outside' });

  assert.equal(secrets.get('KEY'), 'outside');
  assert.match(secrets.warnings.join('\n'), /^[^\n]*\.env cannot be read, so that no key in it is used: EISDIR[^\n]*$/);
});

test('what logs in somewhere is known by its name, or by the password in it', async () => {
  await using temp = await openTempHome();
  const lines = [
    'MY_TOKEN=of-file',
    'STYLE=plain',
    'DATABASE_URL=postgres://me:pw@db.example/x',
    'SITE=https://a.example/',
  ];
  writeFileSync(temp.home.envFile, lines.join('\n'), { mode: 0o600 });

  const secrets = await loadSecrets(temp.home, { OUTSIDE_KEY: 'outside', LANG: 'C', STYLE: 'other' });

  assert.deepEqual(secrets.credentials().toSorted(), ['of-file', 'outside', 'postgres://me:pw@db.example/x']);
});

test('a line that sets nothing is told by its number and never by what it says', async () => {
  await using temp = await openTempHome();
  const lines = ['# mine', 'export A=1', '', 'sk-lost-its-name', 'B="one', 'two"', "C='open", 'my key = x', 'D = 4'];
  writeFileSync(temp.home.envFile, lines.join('\r\n'), { mode: 0o600 });

  const secrets = await loadSecrets(temp.home, {});

  const { envFile } = temp.home;
  assert.deepEqual(secrets.warnings, [
    `${envFile}:4:1: this and 1 more are neither NAME=value nor a comment, and no key comes of it`,
  ]);
  assert.deepEqual(
    ['A', 'D'].map((name) => secrets.get(name)),
    ['1', '4'],
  );
});
