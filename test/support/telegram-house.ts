import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askGateway, openApp } from '../../src/app.ts';
import type { App } from '../../src/app.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { ServedChannels } from '../../src/cli/app-port.ts';
import type { DeskRequest } from '../../src/gateway/people-desk.ts';
import type { Faults } from '../../src/model/faults.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';
import type { ModelScript } from './model-script.ts';
import { anna, botToken, startTelegramServer } from './telegram-server.ts';
import type { TelegramServer } from './telegram-server.ts';
import { makeTempFolder } from './temp-folder.ts';
import { withUsualSettings } from './usual-settings.ts';

export interface TelegramHouseOptions {
  readonly script: ModelScript;
  /** Besides the token and the address of the server; without it Anna has access. */
  readonly telegram?: JsonObject;
  readonly settings?: JsonObject;
  /** Variables of the environment besides those that every house has. */
  readonly env?: Readonly<Record<string, string>>;
  /** What `.env` in the home says. */
  readonly envFile?: string;
  /** What starts the gateway again, if something does. */
  readonly restart?: () => void;
  readonly clock?: Clock;
  readonly faults?: Faults;
}

/** The real app as a gateway, between a scripted model and the Bot API for tests. */
export async function openTelegramHouse(options: TelegramHouseOptions): Promise<TelegramHouse> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await makeTempFolder());
  const model = resources.use(await startModelServer(options.script));
  const telegram = resources.use(await startTelegramServer());
  const around = { ...options, folder: folder.path };
  const house = new TelegramHouse(around, { model, telegram }, resources);
  await mkdir(house.home, { mode: 0o700 });
  await house.configure(options.telegram ?? { allow: [anna.id] }, options.settings);
  if (options.envFile !== undefined) await writeFile(join(house.home, '.env'), options.envFile, { mode: 0o600 });
  await using unlessOpened = new AsyncDisposableStack();
  unlessOpened.use(house);
  await house.open();
  unlessOpened.move();
  return house;
}

export class TelegramHouse implements AsyncDisposable {
  readonly home: string;
  readonly model: ModelServer;
  readonly telegram: TelegramServer;
  /** What whoever runs the program was told. */
  readonly reported: string[] = [];
  readonly #env: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #faults: Faults | undefined;
  readonly #resources: AsyncDisposableStack;
  readonly #restart: (() => void) | undefined;
  #app: App | undefined;
  #gateway: ServedChannels['gateway'] | undefined;

  constructor(
    {
      folder,
      env,
      restart,
      clock,
      faults,
    }: { readonly folder: string } & Pick<TelegramHouseOptions, 'env' | 'restart' | 'clock' | 'faults'>,
    servers: { readonly model: ModelServer; readonly telegram: TelegramServer },
    resources: AsyncDisposableStack,
  ) {
    this.#restart = restart;
    this.home = join(folder, 'home');
    this.model = servers.model;
    this.telegram = servers.telegram;
    this.#clock = clock ?? systemClock;
    this.#faults = faults;
    this.#resources = resources;
    const path = process.env['PATH'] ?? '';
    this.#env = { TALARIA_HOME: this.home, PATH: path, HOME: folder, TELEGRAM_BOT_TOKEN: botToken, ...env };
  }

  get app(): App {
    if (this.#app === undefined) throw new Error('the house is closed');
    return this.#app;
  }

  get gateway(): ServedChannels['gateway'] {
    if (this.#gateway === undefined) throw new Error('the house is closed');
    return this.#gateway;
  }

  async configure(telegram: JsonObject, settings: JsonObject = {}): Promise<void> {
    const model = { provider: 'custom', base_url: this.model.baseUrl, default: 'scripted' };
    const config = {
      web: { enabled: false },
      model,
      telegram: { api_root: this.telegram.apiRoot, ...telegram },
      ...settings,
    };
    await writeFile(join(this.home, 'config.json'), JSON.stringify(withUsualSettings(config)));
  }

  async open(): Promise<void> {
    const surroundings = { env: this.#env, clock: this.#clock, faults: this.#faults };
    this.#app = await openApp({ purpose: 'serve', model: undefined }, surroundings);
    const { gateway } = await this.#app.serveChannels((line) => this.reported.push(line), {
      version: '',
      keeper: 'nobody',
      restart: this.#restart
        ? { type: 'kept', begin: this.#restart }
        : { type: 'unkept', advise: () => Promise.resolve('This would help.') },
    });
    this.#gateway = gateway;
  }

  async close(): Promise<void> {
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
  }

  /** What a command of the owner is answered, while the gateway runs or not. */
  async ask(request: DeskRequest): Promise<string> {
    return (await askGateway(request, { env: this.#env, clock: this.#clock, faults: undefined })).text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#resources.disposeAsync();
  }
}
