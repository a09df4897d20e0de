import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import { openServiceBench } from './service-bench.ts';
import type { ServiceBench } from './service-bench.ts';

const program = join(import.meta.dirname, '..', '..', 'support', 'restarting-gateway.ts');

function startKeptBy(keeper: string, { desk }: ServiceBench): ChildProcess {
  return spawn(process.execPath, [program], {
    env: { ...desk.env, TALARIA_KEEPER: keeper },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
}

for (const keeper of ['systemd', 'launchd']) {
  test(`asked to restart, a gateway that ${keeper} keeps ends with the code for which it is started again`, async () => {
    await using bench = await openServiceBench([], [anna.id]);

    const [code] = (await once(startKeptBy(keeper, bench), 'exit')) as [number | null];

    assert.equal(code, 85);
  });
}

test('asked to restart, a gateway in the background is followed by another, which goes on serving', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);

  const first = startKeptBy('background', bench);
  const [code] = (await once(first, 'exit')) as [number | null];
  bench.telegram.say('hi');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));
  const status = await bench.run('gateway', 'status');

  assert.equal(code, 0);
  assert.match(status.stdout, /^kept by +background$/m);
  assert.notEqual(await bench.pid(), first.pid);
});

test('a gateway in a terminal cannot be asked to restart, since nobody would bring it back', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  const child = startKeptBy('', bench);
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    if (output.includes('it back')) child.kill('SIGKILL');
  }

  assert.match(output, /^Nobody would bring it back\.$/m);
});
