import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ModelScript } from '../../support/model-script.ts';
import { lookUntil } from '../../support/left-behind.ts';
import { anna } from '../../support/telegram-server.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { startUserManager } from '../../support/user-manager.ts';
import type { Outcome } from '../support/program.ts';
import { openServiceBench } from './service-bench.ts';
import type { ServiceBench } from './service-bench.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const runFile = promisify(execFile);

/** The program as it is published, a user with a manager of systemd, a bot and a scripted model. */
export class SystemdBench implements AsyncDisposable {
  readonly service: ServiceBench;
  /** The unpacked package. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  #manager: ChildProcess | undefined;
  readonly #resources: AsyncDisposableStack;

  constructor(service: ServiceBench, folder: string, resources: AsyncDisposableStack) {
    this.service = service;
    this.folder = folder;
    this.env = { ...service.desk.env, LANG: 'C.UTF-8', XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '' };
    this.#resources = resources;
  }

  get script(): string {
    return join(this.folder, 'bin', 'talaria.js');
  }

  /** The home folder of the user. */
  get userHome(): string {
    return dirname(this.service.desk.home);
  }

  async logIn(): Promise<void> {
    const PATH = '/usr/bin:/bin';
    this.#manager = await startUserManager({ ...this.env, PATH, TALARIA_HOME: '', NODE_COMPILE_CACHE: '' });
  }

  /** Ends the manager as the last logout does, and waits for it. */
  async logOut(): Promise<void> {
    if (this.#manager === undefined) return;
    const gone = once(this.#manager, 'exit');
    this.#manager.kill('SIGTERM');
    await gone;
    this.#manager = undefined;
  }

  talaria(...args: readonly string[]): Promise<Outcome> {
    return this.runFrom(this.folder, ...args);
  }

  /** The same with the package in another place. */
  runFrom(folder: string, ...args: readonly string[]): Promise<Outcome> {
    return this.#run(process.execPath, [join(folder, 'bin', 'talaria.js'), ...args]);
  }

  /** The same from a shell with other variables. */
  talariaWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Outcome> {
    return this.#run(process.execPath, [this.script, ...args], env);
  }

  systemctl(...args: readonly string[]): Promise<Outcome> {
    return this.#run('systemctl', ['--user', ...args]);
  }

  /** A property of our unit, as systemd has it. */
  async property(unit: string, name: string): Promise<string> {
    return (await this.systemctl('show', '--value', `--property=${name}`, unit)).stdout.trim();
  }

  /** Waits until another gateway than this serves; 0 is any. */
  async whenServedByOther(pid: number): Promise<number> {
    const look = async (): Promise<number> =>
      Number(/^state +serving \(pid (\d+),/m.exec((await this.talaria('gateway', 'status')).stdout)?.[1] ?? pid);
    return await lookUntil(look, (found) => found !== pid);
  }

  /** What the bot has shown to Anna, as soon as it fits. */
  whenTold(fits: (texts: readonly string[]) => boolean): Promise<readonly string[]> {
    return this.service.telegram.whenShown(anna.id, fits);
  }

  told(): readonly string[] {
    return this.service.telegram.shown(anna.id).map(({ text }) => text);
  }

  /** Has calls run without asking, until the gateway ends. */
  async allowAll(): Promise<void> {
    const before = this.told().filter(isAllowance).length;
    this.service.telegram.say('/yolo on');
    await this.whenTold((texts) => texts.filter(isAllowance).length > before);
  }

  /** The package is replaced by another version, as an update does it. */
  async update(version: string): Promise<void> {
    const manifest = join(this.folder, 'package.json');
    const next = `${this.folder}.next`;
    await runFile('cp', ['-a', this.folder, next]);
    const text = await readFile(manifest, 'utf8');
    await writeFile(join(next, 'package.json'), text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    await rename(this.folder, `${this.folder}.before`);
    await rename(next, this.folder);
  }

  async #run(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return await new Promise((resolve) => {
      const options = { env: { ...this.env, ...env }, cwd: this.service.desk.workdir, encoding: 'utf8' } as const;
      const child = execFile(file, args, options, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code) }),
      );
      child.stdin?.end();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.logOut();
    await this.#resources.disposeAsync();
  }
}

function isAllowance(told: string): boolean {
  return told.startsWith('From now on');
}

export async function openSystemdBench(script: ModelScript): Promise<SystemdBench> {
  await using cleanup = new AsyncDisposableStack();
  const { path: top } = cleanup.use(await makeTempFolder());
  await runFile('npm', ['pack', '--pack-destination', top], { cwd: root });
  await runFile('sh', ['-c', 'tar -xzf *.tgz'], { cwd: top });
  await symlink(join(root, 'node_modules'), join(top, 'node_modules'));
  const service = cleanup.use(await openServiceBench(script, [anna.id]));
  const bench = new SystemdBench(service, join(top, 'package'), cleanup.move());
  await bench.logIn();
  return bench;
}
