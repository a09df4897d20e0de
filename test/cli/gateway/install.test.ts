import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeFakeSystemd } from '../../support/fake-systemctl.ts';
import type { FakeSystemd, FakeSystemdOptions } from '../../support/fake-systemctl.ts';
import { says } from '../../support/model-script.ts';
import { anna, botToken } from '../../support/telegram-server.ts';
import type { Outcome } from '../support/program.ts';
import { openServiceBench } from './service-bench.ts';
import type { ServiceBench } from './service-bench.ts';

const skip = process.platform === 'linux' ? false : 'only Linux has systemd';

interface Bench extends AsyncDisposable {
  readonly service: ServiceBench;
  readonly systemd: FakeSystemd;
  readonly units: string;
  run(...args: readonly string[]): Promise<Outcome>;
  /** The status as it is seen from another shell. */
  statusIn(shell: Readonly<Record<string, string>>): Promise<Outcome>;
}

async function openBench(options: FakeSystemdOptions = {}): Promise<Bench> {
  const service = await openServiceBench(() => says('Hello.'), [anna.id]);
  const { desk } = service;
  const systemd = await makeFakeSystemd(dirname(desk.home), options);
  const env = {
    ...systemd.env,
    PATH: `${systemd.folder}:${desk.env['PATH'] ?? ''}`,
    OPENAI_API_KEY: 'sk-a-key-of-the-shell',
  };
  return {
    service,
    systemd,
    units: join(dirname(desk.home), '.config', 'systemd', 'user'),
    run: (...args) => desk.run(args, { env }),
    statusIn: (shell) => desk.run(['gateway', 'status'], { env: { ...env, ...shell } }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

test(
  'install writes one unit and enables it, and uninstall removes it, by the calls that a systemctl for tests records',
  { skip },
  async () => {
    await using bench = await openBench();

    const installed = await bench.run('gateway', 'install');
    const [unit = '', ...others] = await readdir(bench.units);
    const text = await readFile(join(bench.units, unit), 'utf8');
    const status = await bench.run('gateway', 'status');
    const removed = await bench.run('gateway', 'uninstall');

    assert.deepEqual([installed.code, removed.code, others], [0, 0, []]);
    assert.match(unit, /^talaria-gateway-[0-9a-f]{8}\.service$/);
    assert.match(text, /^KillMode=process$/m);
    assert.ok(text.includes(`Environment="TALARIA_HOME=${bench.service.desk.home}"`));
    assert.ok(!text.includes('sk-a-key') && !text.includes(botToken));
    assert.match(installed.stdout, /goes on after you log out\.\n/);
    assert.match(status.stdout, new RegExp(`service +systemd: ${unit}, starts by itself\n`));
    assert.deepEqual(await readdir(bench.units), []);
    assert.deepEqual(await bench.systemd.calls(), [
      'systemctl --user daemon-reload',
      `systemctl --user enable ${join(bench.units, unit)}`,
      `systemctl --user stop ${unit}`,
      `systemctl --user disable ${unit}`,
      `systemctl --user reset-failed ${unit}`,
      'systemctl --user daemon-reload',
    ]);
  },
);

test(
  'start and stop go through the service that is installed, by the calls that a systemctl for tests records',
  { skip },
  async () => {
    await using bench = await openBench();
    await bench.run('gateway', 'install');
    const [unit = ''] = await readdir(bench.units);

    const started = await bench.run('gateway', 'start');
    const status = await bench.run('gateway', 'status');
    const stopped = await bench.run('gateway', 'stop');

    assert.match(started.stdout, /^Serving telegram with custom:scripted, by systemd \(pid \d+\)\.\n$/);
    assert.match(status.stdout, /^kept by +systemd$/m);
    assert.equal(stopped.stdout, 'Stopped.\n');
    assert.deepEqual((await bench.systemd.calls()).slice(2), [
      `systemctl --user start ${unit}`,
      `systemctl --user stop ${unit}`,
    ]);
  },
);

test('lingering is turned on where that is allowed, and explained where it is not', { skip }, async () => {
  await using allowed = await openBench({ lingering: 'off' });
  await using refused = await openBench({ lingering: 'refused' });

  const turnedOn = await allowed.run('gateway', 'install');
  const explained = await refused.run('gateway', 'install');

  assert.match(turnedOn.stdout, /lingering was turned on for you/);
  assert.ok((await allowed.systemd.calls()).includes('loginctl enable-linger'));
  assert.match(explained.stdout, /only while you are logged in\. To change that: sudo loginctl enable-linger \S+\n/);
  assert.equal(explained.code, 0);
});

test('a unit that someone else wrote under the name is neither replaced nor removed', { skip }, async () => {
  await using bench = await openBench();
  await bench.run('gateway', 'install');
  const [unit = ''] = await readdir(bench.units);
  const path = join(bench.units, unit);
  await writeFile(path, '[Service]\nExecStart=/bin/true\n');

  const installed = await bench.run('gateway', 'install');
  const removed = await bench.run('gateway', 'uninstall');

  assert.notEqual(installed.code, 0);
  assert.notEqual(removed.code, 0);
  assert.match(removed.stderr, /was not written by this program/);
  assert.equal(await readFile(path, 'utf8'), '[Service]\nExecStart=/bin/true\n');
});

test(
  'a unit that does not fit the settings any more is called out of date, and install renews it',
  { skip },
  async () => {
    await using bench = await openBench();
    await bench.run('gateway', 'install');
    const inOtherShell = await bench.statusIn({ LANG: 'de_DE.UTF-8', PATH: `${bench.systemd.folder}:/usr/bin:/bin` });
    await bench.service.configure({ agent: { restart_drain_timeout: 300 } });

    const before = await bench.run('gateway', 'status');
    await bench.run('gateway', 'install');
    const after = await bench.run('gateway', 'status');

    assert.match(inOtherShell.stdout, /starts by itself\n/);
    assert.match(before.stdout, /out of date/);
    assert.doesNotMatch(after.stdout, /out of date/);
    const [unit = ''] = await readdir(bench.units);
    assert.match(await readFile(join(bench.units, unit), 'utf8'), /^TimeoutStopSec=330$/m);
  },
);

test(
  'settings that cannot be read make no unit out of date, and do not keep stop from saying that it is done',
  { skip },
  async () => {
    await using bench = await openBench();
    const { service } = bench;
    await service.configure({ agent: { restart_drain_timeout: 20 } });
    await bench.run('gateway', 'install');
    await writeFile(service.path('config.json'), '{');
    await rm(service.path('state', 'config.last-good.json'));

    const status = await bench.run('gateway', 'status');
    const stopped = await bench.run('gateway', 'stop');

    assert.match(status.stdout, /starts by itself\n(.*\n)*settings /);
    assert.deepEqual([stopped.stdout, stopped.code], ['It does not run.\n', 0]);
  },
);

test('status says what became of a unit that failed, and whether systemd tries again', { skip }, async () => {
  await using bench = await openBench();
  await bench.run('gateway', 'install');
  await bench.systemd.showUnit(
    'ActiveState=activating\nSubState=auto-restart\nResult=signal\nExecMainCode=2\nExecMainStatus=9\n',
  );

  const { stdout } = await bench.run('gateway', 'status');

  assert.match(stdout, /, starts by itself\n +it was ended by SIGKILL; systemd starts it again after a pause\n/);
});

test('where systemd does not answer, status says so, and nothing of what only systemd knows', { skip }, async () => {
  await using bench = await openBench();
  await bench.run('gateway', 'install');
  await writeFile(join(bench.systemd.folder, 'systemctl'), '#!/bin/sh\necho no bus >&2\nexit 1\n');

  const { stdout } = await bench.run('gateway', 'status');

  assert.match(stdout, /^service +systemd: \S+\.service; systemd does not answer for this user: no bus\n/m);
});

test('a unit whose program is gone is told at once by start, with what mends it', { skip }, async () => {
  await using bench = await openBench();
  await bench.run('gateway', 'install');
  await bench.systemd.showUnit(
    'ActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainCode=1\nExecMainStatus=203\n',
    'broken',
  );

  const { stderr, code } = await bench.run('gateway', 'start');

  assert.equal(code, 1);
  assert.match(stderr, /\.service: its program is not where it was \(talaria gateway install .*starts it again/);
});

test('a stop ends what systemd tries beside a chat, and a restart leaves it to wait', { skip }, async () => {
  await using bench = await openBench();
  const { desk } = bench.service;
  await bench.run('gateway', 'install');
  const [unit = ''] = await readdir(bench.units);
  const chat = desk.start([], { input: 'hi\n', keepOpen: true });
  await chat.prints(/Hello\./);

  const restarted = await bench.run('gateway', 'restart');
  const before = (await bench.systemd.calls()).length;
  const stopped = await bench.run('gateway', 'stop');

  const refusal = /what uses the home is no gateway/;
  assert.match(restarted.stderr, refusal);
  assert.match(stopped.stderr, refusal);
  assert.deepEqual((await bench.systemd.calls()).slice(2), [`systemctl --user stop ${unit}`]);
  assert.equal(before, 2);
});

test('without systemd install says so, names the other way, and writes nothing', { skip }, async () => {
  await using bench = await openServiceBench([], [anna.id]);
  // There is nothing in it but what a script needs.
  const { code, stderr } = await bench.desk.run(['gateway', 'install'], { env: { PATH: bench.desk.workdir } });

  assert.equal(code, 1);
  assert.match(stderr, /there is no systemd here\n.*`talaria gateway start` runs it in the background/);
  assert.ok(!existsSync(join(dirname(bench.desk.home), '.config')));
});

test(
  'a gateway in a terminal answers /restart with what helps: the service that is installed, installing one, or the background where systemd does not answer',
  { skip },
  async () => {
    await using bench = await openBench();
    const { desk, telegram } = bench.service;
    const env = { ...bench.systemd.env, PATH: `${bench.systemd.folder}:${desk.env['PATH'] ?? ''}` };
    const started = desk.start(['gateway'], { env });
    await started.prints(/Serving telegram with/);
    const advice: string[] = [];
    const restart = async (): Promise<void> => {
      telegram.say('/restart');
      const texts = await telegram.whenShown(anna.id, ({ length }) => length > advice.length);
      advice.push(texts.at(-1) ?? '');
    };

    await restart();
    await bench.run('gateway', 'install');
    await restart();
    await writeFile(join(bench.systemd.folder, 'systemctl'), '#!/bin/sh\necho no bus >&2\nexit 1\n');
    await restart();

    const nothing = 'Nothing was done: nothing would start this program again.';
    const stopped = 'End it where it runs and type `talaria gateway start`:';
    assert.deepEqual(advice, [
      `${nothing} \`talaria gateway install\` changes that.`,
      `${nothing} ${stopped} that starts the service that is installed.`,
      `${nothing} ${stopped} a gateway in the background comes back after /restart. After a crash or a reboot only what \`talaria gateway install\` sets up comes back by itself.`,
    ]);
  },
);
