import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import type { App } from '../../src/app.ts';
import { AsyncQueue } from '../../src/base/async-queue.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import type { Outbound, TerminalInput, TerminalPort } from '../../src/model/channel.ts';
import type { Faults } from '../../src/model/faults.ts';
import type { GivenImage } from '../../src/model/image.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import type { Address, FrozenPrompt, Session } from '../../src/model/session.ts';
import type { LoggedEntry, StepEvent, Verdict } from '../../src/model/turn.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';
import type { ModelScript } from './model-script.ts';
import { makeTempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';
import { withUsualSettings } from './usual-settings.ts';

export interface HouseOptions {
  readonly script: ModelScript;
  /** How the person at the terminal answers questions; `nobody` is a terminal where nobody can be asked, `silence` a person who does not answer. */
  readonly consent?: Verdict | 'nobody' | 'silence' | ((question: Outbound) => Verdict);
  readonly settings?: JsonObject;
  /** What the settings say about the model besides its name and its address. */
  readonly model?: JsonObject;
  /** The protocol that the script speaks, where it is not chat completions. */
  readonly apiMode?: ApiMode;
  /** Variables of the environment besides those that every house has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Done to the home before the first start. */
  readonly prepareHome?: (home: string) => void | Promise<void>;
  readonly faults?: Faults;
  /** Where the home is made, if not beside the working folder. */
  readonly homeParent?: string;
}

/** A person at a terminal in front of the real app, on a home of its own, with a scripted model server on loopback. */
export async function openTestHouse(options: HouseOptions): Promise<TestHouse> {
  const folder = await makeTempFolder();
  const server = await startModelServer(options.script);
  const house = new TestHouse(folder, server, options);
  await mkdir(house.home, { mode: 0o700 });
  await options.prepareHome?.(house.home);
  await house.open();
  return house;
}

export class TestHouse implements AsyncDisposable {
  readonly server: ModelServer;
  readonly workdir: string;
  readonly home: string;
  readonly shown: Outbound[] = [];
  warnings: readonly string[] = [];
  readonly events: StepEvent[] = [];
  readonly address: Address = { platform: 'terminal', account: 'local', chat: 'house', thread: '' };
  readonly #folder: TempFolder;
  readonly #options: HouseOptions;
  readonly #listeners = new Set<(event: StepEvent) => void>();
  readonly #askedListeners = new Set<(question: Outbound) => void>();
  #app: App | undefined;
  #gateway: Gateway | undefined;
  #input = new AsyncQueue<TerminalInput>();

  constructor(folder: TempFolder, server: ModelServer, options: HouseOptions) {
    this.#folder = folder;
    this.server = server;
    this.#options = options;
    this.home = join(options.homeParent ?? folder.path, 'home');
    this.workdir = join(folder.path, 'work');
  }

  get app(): App {
    if (this.#app === undefined) throw new Error('the house is closed');
    return this.#app;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error('the house is closed');
    return this.#gateway;
  }

  async open(): Promise<void> {
    await mkdir(this.workdir, { recursive: true });
    const model = {
      provider: 'custom',
      base_url: `${this.server.origin}/v1`,
      default: 'scripted',
      api_mode: this.#options.apiMode ?? 'chat_completions',
      ...this.#options.model,
    };
    await writeFile(
      join(this.home, 'config.json'),
      JSON.stringify(withUsualSettings({ model, ...this.#options.settings })),
    );
    const env = { TALARIA_HOME: this.home, PATH: process.env['PATH'], HOME: this.#folder.path, ...this.#options.env };
    const clock = this.#options.clock ?? systemClock;
    this.#app = await openApp({ purpose: 'serve', model: undefined }, { env, clock, faults: this.#options.faults });
    this.#input = new AsyncQueue();
    const seat = { port: this.#port(), address: this.address, person: 'owner' as PersonId, workdir: this.workdir };
    const served = await this.#app.serveTerminal(seat);
    this.#gateway = served.gateway;
    this.warnings = served.warnings;
    this.#gateway.watch(this.address, (_turn, event) => {
      this.events.push(event);
      for (const listener of this.#listeners) listener(event);
    });
  }

  /** Says something and waits until the session has nothing left to do; returns the last thing shown. */
  async say(text: string, images: readonly GivenImage[] = []): Promise<string> {
    await this.admit(text, images);
    await this.whenIdle();
    return this.shown.at(-1)?.text ?? '';
  }

  /** Says something without waiting for the answer. Resolves when it has been taken in. */
  async admit(text: string, images: readonly GivenImage[] = []): Promise<Intake> {
    const key = {
      platform: 'terminal',
      account: 'local',
      chat: 'house',
      messageId: newId('turn', Date.now()),
      revision: 0,
    };
    return await this.gateway.takeIn({
      type: 'message',
      key,
      address: this.address,
      person: 'owner' as PersonId,
      parts: [{ type: 'text', text }],
      images,
      workdir: this.workdir,
    });
  }

  async whenIdle(): Promise<void> {
    await this.gateway.whenIdle((await this.session()).id);
  }

  async session(): Promise<Session> {
    return await this.app.store.sessions.at({
      address: this.address,
      person: 'owner' as PersonId,
      workdir: this.workdir,
    });
  }

  async frozenPrompt(): Promise<FrozenPrompt | undefined> {
    return await this.app.store.sessions.frozenPrompt((await this.session()).id);
  }

  async log(): Promise<readonly LoggedEntry[]> {
    return await this.app.store.turns.after((await this.session()).id, 0);
  }

  async logTypes(): Promise<readonly string[]> {
    return (await this.log()).map(({ entry }) => entry.type);
  }

  /** Resolves with the first event that fits. */
  when(fits: (event: StepEvent) => boolean): Promise<StepEvent> {
    return new Promise((resolve) => {
      const listener = (event: StepEvent): void => {
        if (!fits(event)) return;
        this.#listeners.delete(listener);
        resolve(event);
      };
      this.#listeners.add(listener);
    });
  }

  /** Resolves when an entry of this type has become durable. */
  whenLogged(type: LoggedEntry['entry']['type']): Promise<StepEvent> {
    return this.when((event) => event.type === 'entry' && event.logged.entry.type === type);
  }

  /** Resolves with the next question that is shown. */
  whenAsked(): Promise<Outbound> {
    return new Promise((resolve) => {
      this.#askedListeners.add(resolve);
    });
  }

  /** Ends the app in good order and starts it again on the same home, as a new process would. */
  async restart(): Promise<void> {
    await this.close();
    await this.open();
  }

  async close(): Promise<void> {
    this.#input.close();
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
    this.#gateway = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.server[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  #port(): TerminalPort {
    const consent = this.#options.consent ?? 'approved';
    return {
      asks: consent === 'nobody' ? 'no' : 'yes',
      read: () => this.#input,
      show: (message) => {
        this.shown.push(message);
        if (message.kind === 'question') {
          for (const listener of this.#askedListeners) listener(message);
          this.#askedListeners.clear();
        }
        if (
          message.kind === 'question' &&
          message.digest !== undefined &&
          consent !== 'nobody' &&
          consent !== 'silence'
        ) {
          const verdict = typeof consent === 'function' ? consent(message) : consent;
          this.#input.push({ type: 'answer', digest: message.digest, verdict });
        }
        return Promise.resolve();
      },
      conclude: () => undefined,
    };
  }
}
