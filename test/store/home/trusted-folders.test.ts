import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAppError } from '../../../src/base/errors.ts';
import { TrustedFolders } from '../../../src/store/home/trusted-folders.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

test('nothing is trusted until it is named; then it and everything below it is, and its neighbours are not', async () => {
  await using folder = await makeTempFolder();
  const trusted = new TrustedFolders(join(folder.path, 'trusted.json'));
  const [project, below, neighbour] = ['project', 'project/a/b', 'project-2'].map((name) => join(folder.path, name));
  for (const each of [project, below, neighbour]) mkdirSync(each ?? '', { recursive: true });
  const before = trusted.around(project ?? '');

  await trusted.add({ path: project ?? '', since: 1 });

  assert.deepEqual(before, []);
  assert.deepEqual(trusted.around(project ?? ''), [project]);
  assert.deepEqual(trusted.around(below ?? ''), [project]);
  assert.deepEqual(trusted.around(neighbour ?? ''), []);
  assert.deepEqual(trusted.around(folder.path), []);
  assert.equal(statSync(join(folder.path, 'trusted.json')).mode & 0o777, 0o600);
});

test('a link into a trusted folder is trusted, a link out of it is not, and neither is what is not there', async () => {
  await using folder = await makeTempFolder();
  const trusted = new TrustedFolders(join(folder.path, 'trusted.json'));
  const [project = '', other = ''] = ['project', 'other'].map((name) => join(folder.path, name));
  for (const each of [project, other]) mkdirSync(each);
  symlinkSync(project, join(folder.path, 'way-in'));
  symlinkSync(other, join(project, 'way-out'));
  await trusted.add({ path: project, since: 1 });

  assert.deepEqual(trusted.around(join(folder.path, 'way-in')), [project]);
  assert.deepEqual(trusted.around(join(project, 'way-out')), []);
  assert.deepEqual(trusted.around(join(project, 'gone')), []);
});

test('of folders that are named in the same moment none is lost', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'trusted.json');
  const paths = ['/a', '/b', '/c'];

  await Promise.all(paths.map((path) => new TrustedFolders(file).add({ path, since: 1 })));

  const listed = new TrustedFolders(file).list();
  assert.deepEqual(
    listed.map(({ path }) => path),
    paths,
  );
  assert.deepEqual(readdirSync(folder.path), ['trusted.json']);
});

test('what another process writes counts at once, and what it takes out no longer does', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'trusted.json');
  const [here, there] = [new TrustedFolders(file), new TrustedFolders(file)];
  assert.deepEqual(here.around(folder.path), []);

  await there.add({ path: folder.path, since: 1 });
  const added = here.around(folder.path);
  await there.remove(folder.path);

  assert.deepEqual(added, [folder.path]);
  assert.deepEqual(here.around(folder.path), []);
  assert.deepEqual(here.list(), []);
});

test('a list that cannot be read trusts nothing, and whoever asks for it is told', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'trusted.json');
  for (const text of ['{', '[]', '{"folders":["/"]}', 'null']) {
    writeFileSync(file, text);
    const trusted = new TrustedFolders(file);

    assert.deepEqual(trusted.around(folder.path), []);
    assert.throws(
      () => trusted.list(),
      (thrown) => isAppError(thrown, 'bad-config'),
    );
    await assert.rejects(trusted.add({ path: folder.path, since: 1 }));
  }
});
