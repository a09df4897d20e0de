import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { lookUntil } from '../../support/left-behind.ts';
import { botToken } from '../../support/telegram-server.ts';
import { openSystemdBench } from './systemd-bench.ts';
import type { SystemdBench } from './systemd-bench.ts';
import { StoryModel } from './systemd-story-model.ts';

const secret = 'sk-a-key-that-only-the-home-has';
// Long enough for a slow machine to see it stop, and short enough to be waited for.
const drainSeconds = 10;

/**
 * The life of a gateway as a service of a real systemd: what people type, what goes wrong, and what must be left of it. Each step
 * that was gone through is told. Fails where anything is not as it should be.
 */
export async function liveUnderSystemd(tell: (step: string) => void): Promise<void> {
  const model = new StoryModel();
  await using bench = await openSystemdBench((request) => model.answer(request));
  await appendFile(bench.service.path('.env'), `OPENAI_API_KEY=${secret}\n`);
  await bench.service.configure({ agent: { restart_drain_timeout: drainSeconds } });
  const story = new Story(bench, model);
  for (const [step, run] of story.steps()) {
    await run();
    tell(step);
  }
}

class Story {
  readonly #bench: SystemdBench;
  readonly #model: StoryModel;
  #unit = '';
  #pid = 0;

  constructor(bench: SystemdBench, model: StoryModel) {
    this.#bench = bench;
    this.#model = model;
  }

  steps(): readonly (readonly [string, () => Promise<void>])[] {
    return [
      ['installed twice, with no secret in the unit', () => this.#install()],
      ['started, and one of its kind', () => this.#start()],
      ['a chat and an attached terminal are answered', () => this.#talk()],
      [
        'killed with a command and a background process at work: both live on, and the answer is told once',
        () => this.#kill(),
      ],
      ['restarted: the background process lives on and is known', () => this.#restart()],
      ['restarted by its own agent and by /restart: systemd keeps it', () => this.#restartFromInside()],
      ['stopped with a turn at work: it ends first', () => this.#drain()],
      ['stopped with a turn that does not end: put off before systemd kills', () => this.#putOff()],
      [
        'settings that are broken, a port that is taken, a store that is damaged: systemd gives up, and it is said why',
        () => this.#fail(),
      ],
      ['a home that is in use: systemd waits for it, and stop ends that', () => this.#waitForHome()],
      ['updated in its place, and told where its program is gone', () => this.#update()],
      ['logged out: it ends in good order; logged in: it starts by itself', () => this.#logOut()],
      ['uninstalled: nothing is left of it', () => this.#uninstall()],
      ['installed into a folder that only the shell knows, and uninstalled', () => this.#installElsewhere()],
    ];
  }

  async #install(): Promise<void> {
    const bench = this.#bench;
    const first = await bench.talaria('gateway', 'install');
    const second = await bench.talaria('gateway', 'install');
    const units = join(bench.userHome, '.config', 'systemd', 'user');
    this.#unit = (await readdir(units)).find((name) => name.endsWith('.service')) ?? '';
    const text = await readFile(join(units, this.#unit), 'utf8');

    assert.deepEqual([first.code, second.code, first.stdout], [0, 0, second.stdout]);
    assert.ok(!text.includes(secret) && !text.includes(botToken));
    // There is no logind in here.
    assert.match(first.stdout, /It runs only while you are logged in\. To change that: sudo loginctl enable-linger /);
    await this.#statusSays(/^state +not running\n/, /starts by itself\n/);
  }

  async #start(): Promise<void> {
    const bench = this.#bench;
    const started = await bench.talaria('gateway', 'start');
    this.#pid = await bench.whenServedByOther(0);

    assert.match(started.stdout, /^Serving telegram with custom:scripted, by systemd /, started.stderr);
    assert.match((await bench.talaria('gateway', 'start')).stdout, /^It runs already/);
    assert.equal((await bench.talaria('gateway', 'run')).code, 75);
    assert.equal(await bench.property(this.#unit, 'MainPID'), String(this.#pid));
    assert.match((await bench.talaria('gateway', 'logs')).stdout, /Serving telegram/);
    await this.#statusSays(/^kept by +systemd\n/m);
  }

  async #talk(): Promise<void> {
    const bench = this.#bench;
    bench.service.telegram.say('hello');
    await bench.whenTold((texts) => texts.includes('Hello.'));
    await this.#run('env', 'foreground');

    const attached = await bench.talaria('run', 'hello');

    assert.equal(attached.stdout, 'Hello.\n');
    const [environment = ''] = this.#said('PATH=');
    assert.ok(environment.includes(`PATH=${bench.env['PATH']}\n`));
    assert.ok(!environment.includes(secret) && !environment.includes(botToken));
  }

  async #kill(): Promise<void> {
    const bench = this.#bench;
    const [ledger, go] = [join(bench.userHome, 'ledger'), join(bench.userHome, 'go')];
    await this.#run(`while :; do date +%s%N > '${join(bench.userHome, 'ticks')}'; sleep 0.2; done`, 'background');
    const command = `echo begun >> '${ledger}'; until [ -e '${go}' ]; do sleep 0.1; done; echo "it is" over`;
    bench.service.telegram.say(`run ${command} in the foreground`);
    await lookUntil(() => Promise.resolve(existsSync(ledger)), Boolean);

    process.kill(this.#pid, 'SIGKILL');
    await lookUntil(
      () => bench.talaria('gateway', 'status'),
      ({ code }) => code === 3,
    );
    await this.#statusSays(/^state +not running\n/, /it was ended by SIGKILL; systemd starts it again after a pause\n/);
    this.#pid = await this.#bench.whenServedByOther(this.#pid);
    await writeFile(go, '');
    await this.#bench.whenTold((texts) => texts.some((text) => text.includes('it is over')));

    assert.equal(await readFile(ledger, 'utf8'), 'begun\n');
    await this.#ticks();
  }

  async #restart(): Promise<void> {
    const before = this.#pid;
    const restarted = await this.#bench.talaria('gateway', 'restart');
    this.#pid = await this.#bench.whenServedByOther(before);

    assert.match(restarted.stdout, /by systemd \(pid \d+\)/, restarted.stderr);
    assert.notEqual(this.#pid, before);
    await this.#ticks();
  }

  async #restartFromInside(): Promise<void> {
    const bench = this.#bench;
    await this.#run(`TALARIA_HOME="$HOME/home" '${process.execPath}' '${bench.script}' gateway restart`, 'foreground');
    const byItself = await this.#bench.whenServedByOther(this.#pid);
    await this.#statusSays(/^kept by +systemd\n/m);
    bench.service.telegram.say('/restart');
    this.#pid = await this.#bench.whenServedByOther(byItself);

    assert.notEqual(this.#pid, byItself);
    assert.equal(this.#said('Serving telegram with custom:scripted, by systemd').length, 1);
    bench.service.telegram.say('hello');
    await bench.whenTold((texts) => texts.filter((text) => text === 'Hello.').length === 2);
    await this.#statusSays(/^kept by +systemd\n/m);
  }

  async #drain(): Promise<void> {
    const bench = this.#bench;
    await this.#wait();
    const stopping = bench.talaria('gateway', 'stop');
    await this.#statusSays(/^state +stopping/m);
    this.#model.gate.resolve();
    const { stdout } = await stopping;

    assert.equal(stdout, 'Stopped.\n');
    assert.equal(
      (await bench.whenTold((texts) => texts.includes('Waited.'))).filter((text) => text === 'Waited.').length,
      1,
    );
    await this.#restsAs('inactive', 'success');
  }

  /** The settings were changed since: what the unit says counts, since systemd goes by it. */
  async #putOff(): Promise<void> {
    const bench = this.#bench;
    await bench.talaria('gateway', 'start');
    await bench.service.configure({ agent: { restart_drain_timeout: 900 } });
    await this.#wait();
    const { stdout } = await bench.talaria('gateway', 'stop');

    assert.equal(stdout, 'Stopped. 1 conversation is unfinished and will go on at the next start.\n');
    await this.#restsAs('inactive', 'success');
    await this.#statusSays(/out of date: talaria gateway install/);
    this.#model.gate.resolve();
    await bench.service.configure({ agent: { restart_drain_timeout: drainSeconds } });
    await bench.talaria('gateway', 'start');
    const told = await bench.whenTold((texts) => texts.filter((text) => text === 'Waited.').length === 2);
    assert.deepEqual(
      told.slice(-3).map((text) => text.split(/[ .]/)[0]),
      ['Pausing', 'Back', 'Waited'],
    );
    await bench.talaria('gateway', 'stop');
  }

  async #fail(): Promise<void> {
    const bench = this.#bench;
    const settings = bench.service.path('config.json');
    const good = await readFile(settings, 'utf8');
    await this.#failBySettings();

    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await bench.service.configure({ web: { port } });
    await this.#cannotStart(78, new RegExp(`port ${port}: it is taken`));
    other.close();

    await writeFile(settings, good);
    const store = bench.service.path('state', 'talaria.db');
    await rename(store, `${store}.kept`);
    await writeFile(store, 'no database');
    await this.#cannotStart(65, /is damaged/);
    await rm(store);
    await rename(`${store}.kept`, store);
  }

  async #failBySettings(): Promise<void> {
    const { service } = this.#bench;
    const settings = service.path('config.json');
    const good = await readFile(settings, 'utf8');
    await writeFile(settings, '{');
    await rm(service.path('state', 'config.last-good.json'));
    await this.#cannotStart(78, /config\.json:1/);
    const stopped = await this.#bench.talaria('gateway', 'stop');
    await writeFile(settings, good);

    assert.deepEqual(stopped, { stdout: 'It does not run.\n', stderr: '', code: 0 });
  }

  async #cannotStart(exitCode: number, why: RegExp): Promise<void> {
    const started = await this.#bench.talaria('gateway', 'start');

    assert.equal(started.code, exitCode, started.stderr);
    assert.match(started.stderr, why);
    await this.#restsAs('failed', 'exit-code');
    await this.#statusSays(new RegExp(`it ended with code ${exitCode}; systemd does not try again\n`), why);
  }

  async #waitForHome(): Promise<void> {
    const bench = this.#bench;
    const chat = bench.service.desk.start([], { input: 'hello\n', keepOpen: true, longestMs: 120_000 });
    await chat.prints(/Hello\./);
    await bench.systemctl('start', this.#unit);
    const look = (): Promise<string> => this.#bench.property(this.#unit, 'SubState');
    await lookUntil(look, (state) => state.startsWith('auto-restart'));
    await this.#statusSays(/a chat or another command uses the home/, /ended with code 75; systemd starts it again/);

    const stopped = await bench.talaria('gateway', 'stop');
    assert.equal(stopped.code, 75);
    await this.#restsAs('inactive', 'exit-code');
    await bench.systemctl('start', this.#unit);
    chat.child.stdin?.end();
    await chat.ended;
    this.#pid = await this.#bench.whenServedByOther(0);
    assert.notEqual(this.#pid, 0);
  }

  async #update(): Promise<void> {
    const bench = this.#bench;
    await bench.update('99.0.0');
    const restarted = await bench.talaria('gateway', 'restart');
    await this.#statusSays(/^version +99\.0\.0\n/m);
    await bench.talaria('gateway', 'stop');
    const before = `${bench.folder}.before`;
    await rename(bench.folder, `${bench.folder}.gone`);
    const started = await bench.runFrom(before, 'gateway', 'start');
    const status = await bench.runFrom(before, 'gateway', 'status');
    await rename(`${bench.folder}.gone`, bench.folder);
    this.#pid = await bench.whenServedByOther(0);

    assert.equal(restarted.code, 0);
    assert.match(started.stderr, /it ended with code 1; systemd starts it again after a pause/);
    assert.match(status.stdout, /out of date: talaria gateway install writes it anew/);
  }

  async #logOut(): Promise<void> {
    const bench = this.#bench;
    await this.#wait();
    const leaving = bench.logOut();
    await this.#statusSays(/^state +stopping/m);
    this.#model.gate.resolve();
    await leaving;
    await this.#statusSays(/^state +not running\n/, /systemd does not answer for this user/);
    await bench.whenTold((texts) => texts.filter((text) => text === 'Waited.').length === 3);
    await bench.logIn();
    this.#pid = await bench.whenServedByOther(0);

    await this.#statusSays(/^kept by +systemd\n/m);
    await this.#ticks();
  }

  async #uninstall(): Promise<void> {
    const bench = this.#bench;
    // One that has failed is in the list of failures until then.
    await bench.talaria('gateway', 'stop');
    await this.#failBySettings();
    const removed = await bench.talaria('gateway', 'uninstall');
    const [, id = ''] = /(proc_\w+) +running/.exec((await bench.talaria('processes')).stdout) ?? [];
    const ended = await bench.talaria('processes', 'stop', id);

    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(await readdir(join(bench.userHome, '.config', 'systemd', 'user')), []);
    assert.match((await bench.systemctl('list-units', '--failed')).stdout, /^0 loaded units/m);
    await this.#statusSays(/^state +not running\n/, /systemd: not installed/);
    assert.equal(this.#said('it is over').length, 1);
  }

  async #installElsewhere(): Promise<void> {
    const bench = this.#bench;
    const elsewhere = { XDG_CONFIG_HOME: join(bench.userHome, 'my settings') };
    const installed = await bench.talariaWith(elsewhere, 'gateway', 'install');
    const started = await bench.talariaWith(elsewhere, 'gateway', 'start');
    const removed = await bench.talariaWith(elsewhere, 'gateway', 'uninstall');

    for (const { code, stderr } of [installed, started, removed]) assert.equal(code, 0, stderr);
    assert.match(started.stdout, /by systemd \(pid \d+\)/);
    assert.deepEqual(await readdir(join(elsewhere.XDG_CONFIG_HOME, 'systemd', 'user')), []);
    assert.deepEqual(await readdir(join(bench.userHome, '.config', 'systemd', 'user')), []);
    await this.#statusSays(/^state +not running\n/);
  }

  /** Has the agent run a command, and waits until it has said what came of it. */
  async #run(command: string, where: 'foreground' | 'background'): Promise<void> {
    const before = this.#said('It said: ').length;
    await this.#bench.allowAll();
    this.#bench.service.telegram.say(`run ${command} in the ${where}`);
    await this.#bench.whenTold((texts) => texts.filter((text) => text.includes('It said: ')).length > before);
  }

  /** Begins a turn whose model does not answer before the gate is open. */
  async #wait(): Promise<void> {
    this.#model.gate = Promise.withResolvers();
    const before = this.#model.waiting;
    this.#bench.service.telegram.say('wait');
    await lookUntil(
      () => Promise.resolve(this.#model.waiting),
      (waiting) => waiting > before,
    );
  }

  /** What the bot has said with these words in it. */
  #said(words: string): readonly string[] {
    return this.#bench.told().filter((text) => text.includes(words));
  }

  /** The background process still works, and the gateway knows it. */
  async #ticks(): Promise<void> {
    const look = (): Promise<string> => readFile(join(this.#bench.userHome, 'ticks'), 'utf8');
    const before = await look();
    assert.notEqual(await lookUntil(look, (now) => now !== '' && now !== before), before);
    assert.match((await this.#bench.talaria('processes')).stdout, /^proc_\w+ +running .*ticks/m);
  }

  async #restsAs(state: string, result: string): Promise<void> {
    const seen = await lookUntil(
      () => Promise.all(['ActiveState', 'Result', 'NRestarts'].map((name) => this.#bench.property(this.#unit, name))),
      ([now]) => now === state,
    );
    assert.deepEqual(seen.slice(0, 2), [state, result]);
  }

  async #statusSays(...patterns: readonly RegExp[]): Promise<void> {
    const { stdout } = await lookUntil(
      () => this.#bench.talaria('gateway', 'status'),
      (status) => patterns.every((pattern) => pattern.test(status.stdout)),
    );
    for (const pattern of patterns) assert.match(stdout, pattern);
  }
}
