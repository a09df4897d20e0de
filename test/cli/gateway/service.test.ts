import assert from 'node:assert/strict';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { isRunning } from '../../support/processes.ts';
import { anna, botToken } from '../../support/telegram-server.ts';
import { entryPoint, openDesk } from '../support/program.ts';
import { openServiceBench } from './service-bench.ts';

function logLine(message: string): string {
  return `${JSON.stringify({ time: 'T', level: 'info', message, why: [1] })}\n`;
}

const atOnce = { agent: { restart_drain_timeout: 0 } };

test('gateway start serves in the background, status tells what runs, and stop ends it', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);

  const started = await bench.run('gateway', 'start');
  const again = await bench.run('gateway', 'start');
  const safe = await bench.run('gateway', 'start', '--safe');
  bench.telegram.say('hi');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));
  const pid = (await bench.pid()) ?? 0;
  const status = await bench.run('gateway', 'status');
  const stopped = await bench.run('gateway', 'stop');
  const afterwards = await bench.run('gateway', 'status');

  assert.equal(started.stdout, `Serving telegram with custom:scripted, in the background (pid ${pid}).\n`);
  assert.equal(again.stdout, `It runs already (pid ${pid}).\n`);
  assert.equal(again.stderr, '');
  assert.match(
    safe.stderr,
    /^--safe changes nothing of what runs already: talaria gateway restart --safe starts it again so\.$/m,
  );
  assert.match(status.stdout, new RegExp(`^state +serving \\(pid ${pid}, since .*\\n(.*\\n)*channels +telegram\\n`));
  assert.equal(stopped.stdout, 'Stopped.\n');
  assert.equal(await isRunning(pid), false);
  assert.match(afterwards.stdout, /^state +not running\n/);
  assert.deepEqual(
    [started, again, status, stopped, afterwards].map(({ code }) => code),
    [0, 0, 0, 0, 3],
  );
});

test('where the system keeps no services, status does not advise to install one', async () => {
  await using desk = await openDesk([]);

  const { stdout } = await desk.run(['gateway', 'status'], { env: { PATH: desk.workdir } });

  assert.match(stdout, /^service +there is no .*; talaria gateway start runs it in the background$/m);
});

test('gateway start says where the page is, and how to be let in', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.configure({ web: { port: 0 } });

  const { stdout, stderr } = await bench.run('gateway', 'start');
  const status = await bench.run('gateway', 'status');

  assert.match(status.stdout, /^page {10}http:\/\/127\.0\.0\.1:\d+$/m);
  assert.match(
    stdout,
    /\nThe page: http:\/\/127\.0\.0\.1:\d+ \(talaria gateway link prints a link that opens it\)\n$/,
    stderr,
  );
});

test('settings that are broken are told by start, status and an attached run, and status names the model of now', async () => {
  await using bench = await openServiceBench(() => says('Hello.'), [anna.id]);
  await bench.run('gateway', 'start');
  await bench.configure({ model: { provider: 'custom', base_url: bench.desk.server.baseUrl, default: 'other' } });
  const edited = await bench.run('gateway', 'status');
  await appendFile(bench.path('config.json'), ']');

  const outcomes = [
    await bench.run('gateway', 'status'),
    await bench.desk.run(['run', 'hi']),
    await bench.run('gateway', 'restart'),
    await bench.run('gateway', 'start'),
  ];
  const json = await bench.run('gateway', 'status', '--json');

  assert.match(edited.stdout, /^model +custom:other$/m);
  for (const { stdout, stderr } of outcomes) assert.match(stdout + stderr, /config\.json:1:\d+: /);
  assert.match(json.stdout, /"warnings":\["[^"]*config\.json:1:\d+: /);
});

test('stop says what it waits for, and meanwhile a run is told to come back later', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openServiceBench(async () => {
    await gate.promise;
    return says('Hello.');
  }, [anna.id]);
  await bench.run('gateway', 'start');
  bench.telegram.say('hi');
  await bench.desk.server.whenRequested(1);

  const stopping = bench.desk.start(['gateway', 'stop']);
  await stopping.prints(/^Waiting for 1 turn that runs\.\n$/);
  const refused = await bench.run('run', 'hello');
  gate.resolve();
  const stopped = await stopping.ended;

  assert.equal(refused.code, 75);
  assert.match(refused.stderr, /^talaria: the gateway on this home is being stopped\nNothing was taken in\./);
  assert.deepEqual([stopped.code, stopped.stdout], [0, 'Stopped.\n']);
});

test('what stop leaves unfinished in a terminal goes on there, and it says how', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openServiceBench(async () => {
    await gate.promise;
    return says('Hello.');
  }, [anna.id]);
  await bench.configure(atOnce);
  await bench.run('gateway', 'start');
  const asked = bench.desk.start(['run', 'hi']);
  await bench.desk.server.whenRequested(1);
  asked.child.kill('SIGKILL');
  await asked.ended;

  const stopped = await bench.run('gateway', 'stop');
  const [, id = ''] = /^Stopped\. 1 session of a terminal is unfinished; to go on with it: talaria -r (\S+)\n$/.exec(
    stopped.stdout,
  ) ?? [stopped.stdout];
  gate.resolve();
  const goneOn = await bench.desk.run(['-r', id], { input: '' });

  assert.match(goneOn.stdout, /Hello\./);
});

test('what stop leaves unfinished it names, and a restart goes on with it', async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openServiceBench(async () => {
    await gate.promise;
    return says('Hello.');
  }, [anna.id]);
  await bench.configure(atOnce);
  await bench.run('gateway', 'start');
  bench.telegram.say('hi');
  await bench.desk.server.whenRequested(1);

  const stopped = await bench.run('gateway', 'stop');
  const started = await bench.run('gateway', 'restart');
  const firstPid = await bench.pid();
  const restarted = await bench.run('gateway', 'restart');
  gate.resolve();
  const shown = await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));

  assert.equal(stopped.stdout, 'Stopped. 1 conversation is unfinished and will go on at the next start.\n');
  assert.deepEqual([started.code, restarted.code], [0, 0]);
  assert.notEqual(await bench.pid(), firstPid);
  assert.deepEqual(
    shown.map((text) => text.split(/[ .]/)[0]),
    ['Pausing', 'Back', 'Hello'],
  );
});

test('turns get no longer to end than the manager waits that the service file was written for', async () => {
  await using bench = await openServiceBench(() => new Promise<never>(() => undefined), [anna.id]);
  const started = bench.desk.start(['gateway'], { env: { TALARIA_KEEPER: 'systemd', TALARIA_LONGEST_DRAIN: '0' } });
  await started.prints(/Serving telegram with/);
  bench.telegram.say('hi');
  await bench.desk.server.whenRequested(1);

  started.child.kill('SIGTERM');
  const { code } = await started.ended;

  assert.equal(code, 0);
});

test('a store that is damaged has a code of its own, and stop says that nothing runs all the same', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  await bench.run('gateway', 'start');
  await bench.run('gateway', 'stop');
  await writeFile(bench.path('state', 'talaria.db'), 'no database');

  const started = await bench.run('gateway', 'run');
  const stopped = await bench.run('gateway', 'stop');

  assert.equal(started.code, 65);
  assert.deepEqual([stopped.stdout, stopped.code], ['It does not run.\n', 0]);
});

test('a gateway that cannot start says why at once, and status remembers it until one has served', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  await bench.configure({ model: { provider: 'nonsense' } });

  const failed = await bench.run('gateway', 'start');
  const status = parseJson((await bench.run('gateway', 'status', '--json')).stdout);
  await bench.configure({});
  await bench.run('gateway', 'start');
  const later = parseJson((await bench.run('gateway', 'status', '--json')).stdout);

  assert.equal(failed.code, 78);
  assert.match(failed.stderr, /^The gateway did not start: it ended with code 78\.\n {2}.*nonsense/);
  assert.match(
    JSON.stringify(status),
    /"isRunning":false,.*"lastFailure":\{"at":"[^"]+","exitCode":78,"reason":".*nonsense/,
  );
  assert.match(JSON.stringify(later), /"isRunning":true/);
  assert.doesNotMatch(JSON.stringify(later), /lastFailure/);
});

test('a token that is refused shortly after the start is told by gateway start, too', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  bench.telegram.revokeToken();

  const { code, stderr } = await bench.run('gateway', 'start');

  assert.equal(code, 78);
  assert.match(stderr, /Telegram does not accept the bot token/);
});

test('gateway stop leaves a chat on the same home alone, and a process whose number only stands in an old note', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  const chat = bench.desk.start([], { input: '', keepOpen: true });
  while ((await bench.pid()) !== chat.child.pid) await new Promise((resolve) => setImmediate(resolve));

  const stopped = await bench.run('gateway', 'stop');
  const status = await bench.run('gateway', 'status');
  const isStillThere = await isRunning(chat.child.pid ?? 0);
  chat.child.kill('SIGKILL');
  await chat.ended;
  await writeFile(bench.path('state', 'owner.json'), JSON.stringify({ pid: process.pid, since: 'long ago' }));
  const withOldNote = await bench.run('gateway', 'stop');

  assert.equal(stopped.code, 75);
  assert.match(stopped.stderr, /is no gateway/);
  assert.match(status.stdout, /not running; a chat or another command uses the home/);
  assert.equal(status.code, 3);
  assert.ok(isStillThere);
  assert.equal(withOldNote.stdout, 'It does not run.\n');
});

test('a gateway that runs in a terminal is not restarted behind it', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  const gateway = await bench.start();

  const { code, stderr } = await bench.run('gateway', 'restart');

  assert.equal(code, 75);
  assert.match(stderr, /runs in a terminal/);
  assert.ok(await isRunning(gateway.child.pid ?? 0));
});

test('gateway logs shows the last lines, follows the log across a new file, and has no secret in it', async () => {
  await using bench = await openServiceBench([], [anna.id]);
  const log = bench.path('logs', 'talaria.log');
  await bench.run('gateway', 'start');
  await bench.run('gateway', 'stop');
  const kept = await readFile(log, 'utf8');
  const last = await bench.run('gateway', 'logs', '-n', '1');

  const following = bench.desk.start(['gateway', 'logs', '-f', '-n', '1']);
  await following.prints(/Stopping\./);
  const followed = following.prints(/T info {2}second why=\[1\]/);
  await appendFile(log, logLine('first'));
  await rename(log, `${log}.1`);
  await writeFile(log, logLine('second'));
  await followed;
  following.child.kill('SIGINT');
  const { code, stdout } = await following.ended;

  assert.match(last.stdout, /^\S+ info {2}Stopping\. What is unfinished goes on at the next start\.\n$/);
  assert.doesNotMatch(kept, new RegExp(botToken));
  assert.equal(code, 0);
  assert.equal(stdout, `${last.stdout}T info  first why=[1]\nT info  second why=[1]\n`);
});

test('an agent that restarts its own gateway does so once: the command outlives it, and the turn goes on with its result', async () => {
  const restart = `TALARIA_HOME="$HOME/home" '${process.execPath}' '${entryPoint}' gateway restart`;
  await using bench = await openServiceBench([callsTool('terminal', { command: restart }), says('Done.')], [anna.id]);
  const { telegram, desk } = bench;
  await bench.configure({ agent: { restart_drain_timeout: 1 } });
  await bench.run('gateway', 'start');
  const firstPid = await bench.pid();

  telegram.say('restart yourself');
  const buttonData = (): readonly string[] =>
    telegram
      .shown(anna.id)
      .flatMap(({ buttons }) => buttons?.inline_keyboard.flat() ?? [])
      .flatMap((button) => ('callback_data' in button ? [button.callback_data] : []));
  await telegram.whenShown(anna.id, () => buttonData().length > 0);
  telegram.press(buttonData()[0] ?? '');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));

  assert.notEqual(await bench.pid(), firstPid);
  assert.equal(desk.server.requests.length, 2);
  assert.match(desk.server.requests[1]?.body ?? '', /Serving telegram with custom:scripted, in the background/);
});
