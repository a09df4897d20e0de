import type { LookupAddress } from 'node:dns';
import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { openWay } from '../../src/app/web-tools.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { BlobId, CallId, PersonId } from '../../src/base/ids.ts';
import { createRedactor } from '../../src/base/redact.ts';
import type { Json } from '../../src/base/json.ts';
import type { SearchSettings } from '../../src/model/search-settings.ts';
import { checkConfig } from '../../src/model/config.ts';
import type { BrowserSettings, Config } from '../../src/model/config.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { ToolOutcome } from '../../src/model/message.ts';
import type { Postbox } from '../../src/model/postbox.ts';
import { describeProblems } from '../../src/model/schema.ts';
import type { SandboxSettings, TerminalSettings } from '../../src/model/terminal-settings.ts';
import type { Footprint, Risk, Tool, ToolContext, Toolbox, ToolPlace } from '../../src/model/tool.ts';
import { createUrlGuard } from '../../src/tools/browser/url-guard.ts';
import type { UrlGuardOptions } from '../../src/tools/browser/url-guard.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import type { TempFolder } from '../support/temp-folder.ts';

export interface ToolBenchOptions {
  /** What the settings say about the web. */
  readonly search?: Partial<SearchSettings>;
  /** The addresses of names; nobody else is asked, and what is not here does not exist. */
  readonly names?: (hostname: string) => readonly string[];
  /** What must not leave the machine. */
  readonly credentials?: readonly string[];
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  readonly envPassthrough?: readonly string[];
  /** Where commands run, where it is not on this machine. */
  readonly terminal?: Partial<TerminalSettings>;
  /** Left out: commands run in the system as it is. */
  readonly sandbox?: SandboxSettings;
  /** Where it differs from the usual. */
  readonly browser?: Partial<BrowserSettings>;
  /** What a name stands for; left out: what the system says. */
  readonly resolve?: UrlGuardOptions['resolve'];
}

export interface PreparedTool {
  readonly risk: Risk;
  readonly run: (more?: Partial<ToolContext>) => Promise<ToolOutcome>;
}

/** A toolbox on a temporary home, with a working folder, real shells and real files. */
export async function openToolBench(options: ToolBenchOptions = {}): Promise<ToolBench> {
  const folder = await makeTempFolder();
  const bench = new ToolBench(folder, options);
  await Promise.all([bench.workdir, bench.home, bench.userHome].map((path) => mkdir(path)));
  return bench;
}

const usualBrowser = usualSettings().browser;

function usualSettings(): Config {
  const checked = checkConfig({});
  if (checked.type === 'invalid') throw new Error(describeProblems(checked.problems));
  return checked.config;
}

/** What the bench's own credentials are. */
export const secretOfBench = 'bench-secret-0123456789';

export class ToolBench implements AsyncDisposable {
  readonly workdir: string;
  readonly home: string;
  readonly userHome: string;
  readonly taskFolder: string;
  readonly place: ToolPlace;
  /** The turn that calls belong to; a test sets another one. */
  turnId = newId('turn', Date.now());
  checkpoints: Checkpoints;
  readonly progress: string[] = [];
  readonly blobs = new Map<string, string>();
  /** The addresses to which a way was opened. */
  readonly asked: string[] = [];
  readonly #folder: TempFolder;
  #options: ToolBenchOptions;
  #toolbox: ToolRegistry;
  /** They would go with the program; here something of them may still wait. */
  readonly #former: ToolRegistry[] = [];
  #calls = 0;

  constructor(folder: TempFolder, options: ToolBenchOptions) {
    this.#folder = folder;
    this.#options = options;
    this.workdir = join(folder.path, 'work');
    this.home = join(folder.path, 'talaria');
    this.userHome = join(folder.path, 'user');
    this.taskFolder = join(this.home, 'tasks');
    this.place = { sessionId: newId('session', Date.now()), workdir: this.workdir };
    this.checkpoints = this.#openCheckpoints();
    this.#toolbox = this.#open();
  }

  /** One chat, which takes everything. */
  #postbox(): Postbox {
    const address = { platform: 'telegram', account: 'bot', chat: '42', thread: '' };
    const here = { name: 'telegram:42', address };
    return {
      find: (to) => Promise.resolve(to === undefined ? here : undefined),
      reach: () => Promise.resolve([here]),
      post: () => Promise.resolve('posted'),
    };
  }

  #openCheckpoints(): Checkpoints {
    return new Checkpoints({ taskFolder: this.taskFolder, clock: this.#options.clock ?? systemClock });
  }

  #open(): ToolRegistry {
    const settings: BrowserSettings = { ...usualBrowser, ...this.#options.browser };
    const { resolve } = this.#options;
    return createToolbox({
      checkpoints: this.checkpoints,
      postbox: this.#postbox(),
      taskFolder: this.taskFolder,
      homeFolder: this.home,
      terminal: {
        timeoutMs: 180_000,
        envPassthrough: this.#options.envPassthrough ?? [],
        ...(this.#options.sandbox && { sandbox: this.#options.sandbox }),
        ...this.#options.terminal,
      },
      environment: {
        PATH: process.env['PATH'],
        LANG: 'C.UTF-8',
        HOME: this.userHome,
        ...this.#options.environment,
      },
      web: {
        settings: () => ({ ...noSearch, ...this.#options.search }),
        secret: (name) => this.#options.environment?.[name],
        credentials: () => this.#options.credentials ?? [],
        network: {
          openWay: (url) => {
            this.asked.push(url.href);
            return openWay(url, (name) => this.#options.environment?.[name]);
          },
          resolve: (hostname) => resolveFrom(hostname, this.#options.names?.(hostname) ?? []),
        },
      },
      browser: {
        settings: () => settings,
        redact: createRedactor([secretOfBench]),
        filesFolder: join(this.home, 'files'),
        ...(resolve && { guard: createUrlGuard({ allowPrivate: () => settings.allowPrivate, resolve }) }),
      },
      clock: this.#options.clock ?? systemClock,
    });
  }

  get toolbox(): Toolbox {
    return this.#toolbox;
  }

  /** New objects over the same folders, as after a restart of the program, by someone with other variables where they are given. */
  restart(environment?: Readonly<Record<string, string>>): void {
    if (environment !== undefined) this.#options = { ...this.#options, environment };
    this.checkpoints = this.#openCheckpoints();
    this.#former.push(this.#toolbox);
    this.#toolbox = this.#open();
  }

  /** Lets go of everything, as the program does when it ends. */
  async shutDown(): Promise<void> {
    await this.#toolbox[Symbol.asyncDispose]();
  }

  /** A call up to the moment in which a person would be asked, and the way to run it from there. */
  async prepare(name: string, input: Json): Promise<PreparedTool> {
    const tool = this.#find(name);
    const parsed = parse(tool, input);
    const risk = await tool.assess(parsed, this.place);
    return { risk, run: (more = {}) => tool.run(parsed, this.#context(more)) };
  }

  #context(more: Partial<ToolContext>): ToolContext {
    return {
      ...this.place,
      turnId: this.turnId,
      callId: 'call_1' as CallId,
      person: 'ann' as PersonId,
      signal: new AbortController().signal,
      idempotencyKey: `key_${(this.#calls += 1)}`,
      progress: (text) => this.progress.push(text),
      ask: ({ choices }) => Promise.resolve({ type: 'answered', text: choices[0] ?? 'yes' }),
      readBlob: (blob) => Promise.resolve(this.blobs.get(blob)),
      keepImage: ({ bytes }) => {
        const blob = `blob_${this.blobs.size}` as BlobId;
        this.blobs.set(blob, Buffer.from(bytes).toString('base64'));
        return Promise.resolve({ type: 'image', blob, mediaType: 'image/png', bytes: bytes.length });
      },
      ...more,
    };
  }

  /** What a call comes to, whatever it was judged to be. */
  async outcome(name: string, input: Json, more: Partial<ToolContext> = {}): Promise<ToolOutcome> {
    return await (await this.prepare(name, input)).run(more);
  }

  /** What a later start of the program finds out about a call; undefined where it cannot know. */
  async recover(name: string, input: Json, more: Partial<ToolContext>): Promise<ToolOutcome | undefined> {
    const tool = this.#find(name);
    return await tool.recover?.(parse(tool, input), this.#context(more));
  }

  /** Runs a call and returns what the model reads. */
  async run(name: string, input: Json, more: Partial<ToolContext> = {}): Promise<string> {
    return outcomeToText(await this.outcome(name, input, more));
  }

  async assess(name: string, input: Json, place = this.place): Promise<Risk> {
    return await this.#find(name).assess(parse(this.#find(name), input), place);
  }

  /** What a person would be asked; undefined where nobody is. */
  async question(name: string, input: Json): Promise<string | undefined> {
    const risk = await this.assess(name, input);
    return risk.type === 'ask' ? risk.question : undefined;
  }

  footprint(name: string, input: Json): Footprint {
    return this.#find(name).footprint(parse(this.#find(name), input), this.place);
  }

  async verify(name: string, input: Json): Promise<'done' | 'not-done' | 'unknown'> {
    return await this.#find(name).verify(parse(this.#find(name), input), this.place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#toolbox.endTask(this.place.sessionId);
    for (const toolbox of [...this.#former, this.#toolbox]) await toolbox[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  #find(name: string): Tool {
    const tool = this.#toolbox.tools.get(name);
    if (tool === undefined) throw new Error(`there is no tool named ${name}`);
    return tool;
  }
}

const noSearch: SearchSettings = { backend: undefined, baseUrl: undefined, keyEnv: undefined, allowPrivate: [] };

function resolveFrom(hostname: string, addresses: readonly string[]): Promise<readonly LookupAddress[]> {
  const found = addresses.map((address) => ({ address, family: isIP(address.replace(/%.*/, '')) }));
  if (found.length > 0) return Promise.resolve(found);
  return Promise.reject(Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' }));
}

function parse(tool: Tool, input: Json): unknown {
  const parsed = tool.input.parse(input);
  if (parsed.type === 'invalid') throw new Error(describeProblems(parsed.problems));
  return parsed.value;
}
