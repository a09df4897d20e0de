import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import { openServiceBench } from './service-bench.ts';

const withPage = { web: { port: 0 } };
const refused = 'Telegram does not accept the bot token; ask @BotFather for the current one';

test('a token that is refused beside the page is named by start, status and doctor, and not called served', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.configure(withPage);
  bench.telegram.revokeToken();

  const started = await bench.run('gateway', 'start');
  const again = await bench.run('gateway', 'start');
  const status = await bench.run('gateway', 'status');
  const json = await bench.run('gateway', 'status', '--json');
  const doctor = await bench.run('doctor', '--json');

  assert.equal(started.code, 0);
  assert.match(started.stdout, /^Serving webchat with /);
  for (const { stderr } of [started, again]) assert.ok(stderr.startsWith(`telegram: not served: ${refused}`), stderr);
  assert.match(status.stdout, /^channels +webchat\ntelegram +not served: Telegram does not accept/m);
  const { gateway, warnings } = JSON.parse(json.stdout) as { gateway: { channelStates: object[] }; warnings: string[] };
  assert.partialDeepStrictEqual(gateway.channelStates, [
    { name: 'telegram', type: 'not-served' },
    { name: 'webchat', type: 'served' },
  ]);
  assert.match(warnings.join('\n'), /^telegram: not served: /);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /"level":"broken","name":"bot","text":"not served: Telegram does not accept/);
});

test('a start does not wait for a Telegram that does not answer, and says so', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.configure(withPage);
  const gate = Promise.withResolvers<void>();
  bench.telegram.fail('getMe', { type: 'waits', gate: gate.promise });

  const started = await bench.run('gateway', 'start');
  const doctor = await bench.run('doctor', '--json');
  gate.resolve();

  assert.equal(started.code, 0);
  assert.match(started.stderr, /^telegram: being connected$/m);
  assert.match(doctor.stdout, /"level":"note","name":"bot","text":"being connected"/);
});

test('a Telegram that cannot be reached is tried again, and a gateway in a terminal says so as status does', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.configure({ ...withPage, telegram: { api_root: 'http://127.0.0.1:9' } });

  const gateway = bench.desk.start(['gateway']);
  await gateway.prints(/^telegram: not reached, and tried again: Telegram did not answer \(ECONNREFUSED\)$/m);
  const status = await bench.run('gateway', 'status');
  gateway.child.kill('SIGTERM');
  const { stdout } = await gateway.ended;

  assert.match(stdout, /^Serving webchat with /);
  assert.match(status.stdout, /^telegram +not reached, and tried again: .*ECONNREFUSED/m);
});
