import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import { openDesk } from '../support/program.ts';
import { openServiceBench } from './service-bench.ts';

test('a safe start serves with the settings of the last start that served, and looks at no edit', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.run('gateway', 'start');
  await bench.run('gateway', 'stop');
  // A file that is in order, with a model that nobody can use.
  await bench.configure({ model: { provider: 'nonsense' } });

  const usual = await bench.run('gateway', 'start');
  const safe = await bench.run('gateway', 'start', '--safe');
  const safeAgain = await bench.run('gateway', 'start', '--safe');
  const otherModel = await bench.run('gateway', 'start', '-m', 'custom:other one');
  const status = await bench.run('gateway', 'status');
  await writeFile(bench.path('config.json'), '{ broken');
  bench.telegram.say('hi');
  const shown = await bench.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  assert.equal(usual.code, 78);
  assert.equal(safe.code, 0);
  assert.doesNotMatch(safeAgain.stderr, /changes nothing/);
  assert.deepEqual(otherModel.code, 0);
  assert.match(
    otherModel.stderr,
    /changes nothing of what runs already: talaria gateway restart --model 'custom:other one' starts it/,
  );
  assert.match(status.stdout, /^version .*, in a safe start$/m);
  assert.deepEqual(shown, ['Hello.']);
});

test('a chat can be started safely, too', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  await desk.run([], { input: 'hi\n' });
  await desk.setConfig({ model: { provider: 'nonsense' } });

  const usual = await desk.run([], { input: 'hi\n' });
  const safe = await desk.run(['--safe'], { input: 'hi\n' });

  assert.equal(usual.code, 78);
  assert.equal(safe.code, 0);
  assert.match(safe.stdout, /Hello\./);
  assert.match(safe.stderr, /the settings of \S+ \S+ are used, whatever the file says now/);
});

test('where no earlier start has left settings, a safe start trusts no file', async () => {
  await using bench = await openServiceBench([], [anna.id]);

  const { code, stderr } = await bench.run('gateway', '--safe');

  assert.equal(code, 78);
  assert.match(stderr, /there are no settings of an earlier start/);
});

test('a start whose only channel was refused has not served: a safe start goes back behind it', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), []);
  await bench.configure({ web: { port: 0 } });
  await bench.run('gateway', 'start');
  await bench.run('gateway', 'stop');
  await bench.configure({});
  bench.telegram.revokeToken();

  const failed = await bench.run('gateway', 'start');
  await writeFile(bench.path('config.json'), '{ broken');
  const safe = await bench.run('gateway', 'start', '--safe');
  const status = await bench.run('gateway', 'status');
  const chat = await bench.run('run', 'hi');
  const doctor = await bench.run('doctor', '--json');

  assert.equal(failed.code, 78);
  assert.deepEqual([safe.code, safe.stdout.split(' with ')[0]], [0, 'Serving webchat']);
  const note = 'the gateway that runs is in a safe start, and does not go by the file before a restart without --safe';
  for (const said of [safe.stderr, status.stdout, chat.stderr]) {
    assert.match(said, new RegExp(`config\\.json:1:\\d+: .*\\n *${note}\\n`));
    assert.doesNotMatch(said, /until this is mended/);
  }
  assert.ok(doctor.stdout.includes(JSON.stringify({ level: 'note', name: 'instead', text: note })), doctor.stdout);
});
