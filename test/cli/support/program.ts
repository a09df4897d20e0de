import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { heldBack } from '../../support/bound-rights.ts';
import { startModelServer } from '../../support/model-server.ts';
import type { ModelServer } from '../../support/model-server.ts';
import type { ModelScript } from '../../support/model-script.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { withUsualSettings } from '../../support/usual-settings.ts';

export const entryPoint = join(import.meta.dirname, '..', '..', '..', 'src', 'bin.ts');

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

export interface StartOptions {
  /** What comes in on stdin; without it stdin is empty. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether stdin stays open behind the input. */
  readonly keepOpen?: boolean;
  /** `removed` starts it in a folder that is gone by then. */
  readonly folder?: 'workdir' | 'removed';
  /** `held-back` is somebody whom the permissions of files hold back, even where the super-user runs the tests. */
  readonly as?: 'whoever-tests' | 'held-back';
  /** What runs before the program, in its process. */
  readonly preload?: string;
  /** How long it may run before it counts as hanging; 30 seconds unless set. */
  readonly longestMs?: number;
}

/** A home and a working folder of their own, with a scripted model, and the real program to start in them. */
export class Desk implements AsyncDisposable {
  readonly server: ModelServer;
  readonly home: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #resources: AsyncDisposableStack;
  readonly #running = new Set<ChildProcess>();

  constructor(folder: string, server: ModelServer, resources: AsyncDisposableStack) {
    this.server = server;
    this.home = join(folder, 'home');
    this.workdir = join(folder, 'work');
    const own = { PATH: process.env['PATH'] ?? '', HOME: folder, TALARIA_HOME: this.home, TERM: 'xterm-256color' };
    this.env = { ...own, ...sharedCompileCache() };
    this.#resources = resources;
  }

  /** Runs the program to its end. */
  async run(args: readonly string[], options: StartOptions = {}): Promise<Outcome> {
    return await this.start(args, options).ended;
  }

  start(args: readonly string[], options: StartOptions = {}): Started {
    const { input, env, keepOpen, longestMs = 30_000 } = options;
    const [program = '', ...rest] = commandLine(args, options);
    const child = spawn(program, rest, {
      cwd: this.workdir,
      env: { ...this.env, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A program that hangs fails its test instead of hanging it too.
      timeout: longestMs,
      killSignal: 'SIGKILL',
    });
    this.#running.add(child);
    if (input !== undefined) child.stdin?.write(input);
    if (keepOpen !== true) child.stdin?.end();
    const started = new Started(child);
    void started.ended.then(() => this.#running.delete(child));
    return started;
  }

  async setConfig(config: JsonObject): Promise<void> {
    await writeFile(join(this.home, 'config.json'), JSON.stringify(withUsualSettings(config)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await this.#resources.disposeAsync();
  }
}

/** Compiled code is shared by all programs of a run of the tests, where there is a place for it. */
function sharedCompileCache(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

function commandLine(args: readonly string[], { folder, preload, as }: StartOptions): readonly string[] {
  const before = preload === undefined ? [] : [`--import=data:text/javascript,${encodeURIComponent(preload)}`];
  const plain = [process.execPath, ...before, entryPoint, ...args];
  const line = as === 'held-back' ? heldBack(plain) : plain;
  // Nothing can be started in a folder that is gone: a shell goes there, removes it, and becomes the program.
  const removing = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  return folder === 'removed' ? ['/bin/sh', '-c', removing, 'sh', ...line] : line;
}

/** A program that runs. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => (this.#stdout += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.#stderr += String(chunk)));
    this.ended = this.#finish();
  }

  /** Resolves as soon as the program has written this, on stdout or stderr. */
  async prints(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stdout) && !pattern.test(this.#stderr)) await this.#nextOutput();
  }

  /** The first group of what the program has written that fits, as soon as it has. */
  async finds(pattern: RegExp): Promise<string> {
    await this.prints(pattern);
    return pattern.exec(this.#stdout)?.[1] ?? pattern.exec(this.#stderr)?.[1] ?? '';
  }

  #nextOutput(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.stdout?.once('data', () => resolve());
      this.child.stderr?.once('data', () => resolve());
      this.child.once('close', () => reject(new Error(`the program ended: ${this.#stdout}${this.#stderr}`)));
    });
  }

  async #finish(): Promise<Outcome> {
    const [code] = (await once(this.child, 'close')) as [number | null];
    return { stdout: this.#stdout, stderr: this.#stderr, code };
  }
}

export async function openDesk(script: ModelScript = []): Promise<Desk> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await makeTempFolder());
  const server = resources.use(await startModelServer(script));
  const desk = new Desk(folder.path, server, resources);
  await mkdir(desk.home, { mode: 0o700 });
  await mkdir(desk.workdir);
  await desk.setConfig({ model: { provider: 'custom', base_url: server.baseUrl, default: 'scripted' } });
  return desk;
}

/** Lines of JSON objects. */
export function parseLines(text: string): readonly JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value = parseJson(line);
      if (!isJsonObject(value)) throw new Error(`not a JSON object: ${line}`);
      return value;
    });
}
