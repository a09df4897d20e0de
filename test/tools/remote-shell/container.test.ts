import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { outcomeToText } from '../../../src/model/message.ts';
import type { DockerSettings } from '../../../src/model/terminal-settings.ts';
import { terminalSettings } from '../../../src/model/terminal-settings.ts';
import { openFakeEngine } from '../../support/fake-container-engine.ts';
import type { FakeEngine } from '../../support/fake-container-engine.ts';
import { whenGone } from '../../support/processes.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

// There is no engine here: what is run "in a container" runs on this machine, by a program that says that it is docker.

async function openBench(engine: FakeEngine, docker: Partial<DockerSettings> = {}): Promise<ToolBench> {
  const usual = terminalSettings({ docker: { image: 'debian:13' } }).docker;
  return await openToolBench({
    terminal: { backend: 'docker', docker: { ...usual, ...docker } },
    environment: { PATH: engine.path, OPENAI_API_KEY: 'sk-not-for-containers' },
  });
}

test('a session gets one container of the image, shut in, with its folder; it goes with the session', async () => {
  await using engine = await openFakeEngine();
  await using bench = await openBench(engine);
  const { workdir, place } = bench;
  await mkdir(join(workdir, '.git', 'hooks'), { recursive: true });
  await mkdir(join(workdir, '.aws'));
  await mkdir(join(workdir, '.talaria', 'skills'), { recursive: true });
  await Promise.all(['AGENTS.md', '.env', 'notes'].map((name) => writeFile(join(workdir, name), '')));

  const texts = await Promise.all([1, 2, 3].map((number) => bench.run('terminal', { command: `echo ${number}` })));
  const first = await bench.run('terminal', { command: 'pwd; export A=1; cd /usr' });
  bench.restart();
  const state = await bench.run('terminal', { command: 'pwd; echo $A; exit 3' });
  await bench.toolbox.endTask(place.sessionId);

  const container = `talaria-${place.sessionId}`;
  const calls = await engine.calls();
  assert.deepEqual(
    texts.map((text) => text.split('\n')[0]),
    ['1', '2', '3'],
  );
  assert.equal(first, workdir);
  assert.equal(state, '/usr\n1\n[exit code 3]');
  const starts = calls.filter((call) => call.startsWith('run '));
  const ids = `${process.getuid?.()}:${process.getgid?.()}`;
  assert.deepEqual(starts, [
    [
      'run --detach --rm --init',
      `--name=${container} --label=talaria.session=${place.sessionId} --user=${ids}`,
      '--cap-drop=ALL --security-opt=no-new-privileges --network=none --memory=2048m --pids-limit=512 --env=HOME=/tmp',
      mount(workdir),
      `${mount(`${workdir}/.git`)}\\,readonly ${mount(`${workdir}/.talaria`)}\\,readonly`,
      `${mount(`${workdir}/AGENTS.md`)}\\,readonly`,
      `--mount=type=tmpfs\\,target=${workdir}/.aws ${mount('/dev/null', `${workdir}/.env`)}\\,readonly`,
      `--workdir=${workdir} --entrypoint=sleep debian:13 infinity `,
    ].join(' '),
  ]);
  assert.ok(calls.includes(`exec -i ${container} bash --noprofile --norc -s `));
  assert.equal(calls.at(-1), `rm --force ${container} `);
  assert.doesNotMatch(await engine.environment(), /sk-not-for-containers|OPENAI/);
});

test('of a repository nothing can be changed where nothing is asked, and no hook where commands are', async () => {
  await using engine = await openFakeEngine();
  await using shutIn = await openBench(engine);
  await using connected = await openBench(engine, { network: 'bridge' });

  for (const bench of [shutIn, connected]) {
    await mkdir(join(bench.workdir, '.git', 'hooks'), { recursive: true });
    await bench.run('terminal', { command: 'true' });
  }

  const starts = (await engine.calls()).filter((call) => call.startsWith('run '));
  const readOnly = starts.map((call) => /target=\S+\/(\.git\S*)\\,readonly/.exec(call)?.[1]);
  assert.deepEqual(readOnly, ['.git', '.git/hooks']);
});

test('a folder that holds a home, or what is ours, is not mounted', async () => {
  await using engine = await openFakeEngine();
  await using bench = await openBench(engine);

  await bench.run('terminal', { command: 'true' }, { workdir: join(bench.userHome, '..') });

  const start = (await engine.calls()).find((call) => call.startsWith('run '));
  assert.match(start ?? '', / --workdir=\/tmp --entrypoint/);
  assert.doesNotMatch(start ?? '', /--mount/);
});

test('in a container that cannot leave, commands need no question; disasters never run and logins are asked about', async () => {
  await using engine = await openFakeEngine();
  await using shutIn = await openBench(engine);
  await using connected = await openBench(engine, { network: 'bridge' });
  await using foreign = await openBench(engine, { image: undefined, container: 'mine' });
  const command = 'npm install && make > log';

  const risks = [
    await shutIn.assess('terminal', { command }),
    await shutIn.assess('terminal', { command: 'cat .env' }),
    await shutIn.assess('terminal', { command: 'rm -rf /' }),
    await connected.assess('terminal', { command }),
    await foreign.assess('terminal', { command }),
    await shutIn.assess('terminal', { command, outside: true }),
  ];

  assert.deepEqual(
    risks.map((risk) => risk.type),
    ['safe', 'ask', 'forbidden', 'ask', 'ask', 'forbidden'],
  );
  assert.equal(
    await foreign.question('terminal', { command }),
    `${command}\nin its starting folder on the container mine`,
  );
  assert.deepEqual(await engine.calls(), []);
});

test('a container that is there already is used as it is, and stays when the session ends', async () => {
  await using engine = await openFakeEngine();
  await engine.addContainer('mine');
  await using bench = await openBench(engine, { image: undefined, container: 'mine' });

  const text = await bench.run('terminal', { command: 'pwd; sleep 1000 & echo $!' });
  const pid = Number(text.split('\n')[1]);
  await bench.toolbox.endTask(bench.place.sessionId);
  await whenGone(pid);

  assert.equal(text.split('\n')[0], engine.home);
  const words = new Set((await engine.calls()).map((call) => call.split(' ').slice(0, 3).join(' ')));
  assert.deepEqual([...words], ['exec -i mine']);
});

test('podman is asked instead of docker where the settings say so', async () => {
  await using engine = await openFakeEngine('podman');
  await using bench = await openBench(engine, { command: 'podman' });

  assert.match(await bench.run('terminal', { command: 'echo hello' }), /^hello\n/);
});

test('a container that is gone is made again; an engine that fails costs the call alone', async () => {
  await using engine = await openFakeEngine();
  await using bench = await openBench(engine);
  await bench.run('terminal', { command: 'export A=1' });

  await engine.breakDown('Cannot connect to the Docker daemon. Is it running?');
  const down = await bench.run('terminal', { command: 'echo $A' });
  await engine.mend();
  await engine.removeContainers();
  const up = await bench.run('terminal', { command: 'echo $A' });

  assert.equal(
    down,
    'ERROR: a container of debian:13 cannot be used (Cannot connect to the Docker daemon. Is it running?). Try again later, or tell the user. The command has not run',
  );
  assert.equal(up, '1');
  assert.equal((await engine.calls()).filter((call) => call.startsWith('run ')).length, 3);
});

test('a command in a container is found by a later start of the program, and ran once', async () => {
  await using engine = await openFakeEngine();
  await using bench = await openBench(engine);
  const call = { idempotencyKey: 'the-call' };
  const shutdown = new AbortController();
  const begun = Promise.withResolvers<string>();
  const command = 'echo ran >> ~/ledger; echo begun; while [ ! -e ~/go ]; do sleep 0.02; done; exit 5';

  const running = bench.outcome('terminal', { command }, { ...call, signal: shutdown.signal, progress: begun.resolve });
  await begun.promise;
  shutdown.abort({ type: 'shutdown' });
  await running;
  bench.restart();
  const recovered = bench.recover('terminal', { command }, call);
  await writeFile(join(engine.home, 'go'), '');

  assert.equal(outcomeToText((await recovered) ?? { type: 'interrupted' }), 'begun\n[exit code 5]');
  assert.equal(await readFile(join(engine.home, 'ledger'), 'utf8'), 'ran\n');
});

test('an image without bash is an error, and its container goes with the session all the same', async () => {
  await using engine = await openFakeEngine();
  await engine.removeBash();
  await using bench = await openBench(engine);

  const text = await bench.run('terminal', { command: 'echo hi' });
  await bench.toolbox.endTask(bench.place.sessionId);

  assert.match(text, /^ERROR: there is no bash in a container of debian:13 \(.*not found\)\. Nothing was run$/);
  assert.equal((await engine.calls()).at(-1), `rm --force talaria-${bench.place.sessionId} `);
});

test('without an engine that is said, and nothing runs on this machine instead', async () => {
  const docker = terminalSettings({ docker: { image: 'debian:13' } }).docker;
  await using bench = await openToolBench({
    terminal: { backend: 'docker', docker },
    environment: { PATH: '/nonexistent' },
  });
  await using unset = await openToolBench({ terminal: { backend: 'ssh' } });

  assert.match(
    await bench.run('terminal', { command: 'echo hi' }),
    /^ERROR: there is no program docker on this machine/,
  );
  assert.match(
    await unset.run('terminal', { command: 'echo hi' }),
    /^ERROR: terminal\.backend is ssh, and terminal\.ssh\.host/,
  );
});

/** A mount as bash would write the word. */
function mount(source: string, target = source): string {
  return `--mount=type=bind\\,source=${source}\\,target=${target}`;
}
