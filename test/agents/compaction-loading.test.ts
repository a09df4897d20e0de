import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const child = fileURLToPath(new URL('../support/house-child.ts', import.meta.url));

/** Writes down the name of everything that a process loads. */
const hook = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    appendFileSync(process.env.LOADED_NAMES, name + '\\n');
    return next(name, context);
  },
});
`;

/** What the program loads for one message in a conversation of its own. */
async function namesLoadedFor(message: string): Promise<readonly string[]> {
  await using folder = await makeTempFolder();
  await using server = await startModelServer(() => says('Hi.'));
  const [home, workdir, names, hooks] = ['home', 'work', 'names', 'hook.mjs'].map((name) => join(folder.path, name));
  await mkdir(home ?? '', { mode: 0o700 });
  await mkdir(workdir ?? '');
  await writeFile(hooks ?? '', hook);
  const model = { provider: 'custom', base_url: server.baseUrl, default: 'scripted' };
  await writeFile(join(home ?? '', 'config.json'), JSON.stringify({ model }));
  const args = ['--import', hooks ?? '', child, home ?? '', workdir ?? '', '-', '0', message];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, LOADED_NAMES: names } });
  assert.equal(server.requests.length, 1);
  return (await readFile(names ?? '', 'utf8')).split('\n');
}

test('a short conversation waits neither for the estimator of tokens nor for the data about models', async () => {
  const short = await namesLoadedFor('hello');
  const long = await namesLoadedFor('many words '.repeat(3000));

  assert.deepEqual(
    short.filter((name) => /tokenx|catalogue-lookup/.test(name)),
    [],
  );
  assert.ok(long.includes('tokenx'));
  assert.ok(long.some((name) => name.includes('catalogue-lookup')));
});
