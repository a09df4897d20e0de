import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { GuardedProcess } from '../../../src/tools/mcp/guarded-process.ts';

const env = { PATH: process.env['PATH'] ?? '' };

function start(command: string): GuardedProcess {
  const guarded = new GuardedProcess({ command: 'sh', args: ['-c', command], env, cwd: '/' });
  guarded.stdout.resume();
  return guarded;
}

test('a program ends when its input does, and its last words are read before that counts', async () => {
  const guarded = start('cat > /dev/null; echo farewell >&2; exit 5');
  let said = '';
  guarded.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });

  await guarded.stop();

  assert.deepEqual([await guarded.ended, said], ['it ended with exit code 5', 'farewell\n']);
});

test('a program that cannot be started has ended', async () => {
  const guarded = new GuardedProcess({ command: 'true', args: [], env, cwd: '/not/there' });

  assert.match(await guarded.ended, /ENOENT/);
});

test(
  'a program that has ended leaves no handle open',
  { skip: process.platform === 'linux' ? false : 'only Linux lists the handles of a process' },
  async () => {
    await run();
    const before = readdirSync('/proc/self/fd').length;

    for (let times = 0; times < 10; times += 1) await run();

    assert.equal(readdirSync('/proc/self/fd').length, before);
  },
);

async function run(): Promise<void> {
  const guarded = start('exit 0');
  guarded.stderr.resume();
  await guarded.ended;
}
