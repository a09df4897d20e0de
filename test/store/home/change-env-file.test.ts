import assert from 'node:assert/strict';
import { readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeEnvFile } from '../../../src/store/home/change-env-file.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

async function change(before: string | undefined, value = 'new'): Promise<string> {
  await using folder = await makeTempFolder();
  const path = join(folder.path, '.env');
  if (before !== undefined) await writeFile(path, before, { mode: 0o644 });
  await changeEnvFile(path, 'TOKEN', value);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  return await readFile(path, 'utf8');
}

test('a variable is set and every other line stays as it is', async () => {
  assert.equal(await change(undefined), 'TOKEN=new\n');
  assert.equal(await change('A=1'), 'A=1\nTOKEN=new\n');
  assert.equal(await change('# mine\nexport TOKEN="old" # x\nB=2'), '# mine\nTOKEN=new\nB=2');
  assert.equal(await change('TOKEN=a\nOLD_TOKEN=b\nTOKEN=c\n'), 'TOKEN=new\nOLD_TOKEN=b\n');
});

test('a file in which the variable cannot be told from other text is left alone', async () => {
  const before = 'KEY="first\nTOKEN=inside\nlast"\n';
  await assert.rejects(change(before), { code: 'bad-config' });
});

test('what could end the line or begin another is no value', async () => {
  for (const value of ['a\nB=2', 'a b', '"', '']) {
    await assert.rejects(change('A=1\n', value), { code: 'bad-usage' });
  }
});

test('a link stays a link', async () => {
  await using folder = await makeTempFolder();
  const [path, real] = [join(folder.path, '.env'), join(folder.path, 'elsewhere')];
  await writeFile(real, 'A=1\n');
  await symlink(real, path);

  await changeEnvFile(path, 'TOKEN', 'new');

  assert.equal(await readlink(path), real);
  assert.equal(await readFile(real, 'utf8'), 'A=1\nTOKEN=new\n');
});
