import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { askGateway, openApp } from '../../src/app.ts';
import type { App } from '../../src/app.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { DeskRequest } from '../../src/gateway/people-desk.ts';
import type { Faults } from '../../src/model/faults.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';
import type { ModelScript } from './model-script.ts';
import { makeTempFolder } from './temp-folder.ts';
import type { WebEvents } from './web-events.ts';
import { readEvents } from './web-events.ts';
import { withUsualSettings } from './usual-settings.ts';

export interface WebHouseOptions {
  readonly script?: ModelScript;
  /** Besides a free port. */
  readonly web?: JsonObject;
  readonly terminal?: JsonObject;
  readonly clock?: Clock;
  readonly faults?: Faults;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text. */
  readonly body?: JsonObject | string;
}

/** The real app as a gateway that serves nothing but its page, with a scripted model behind it. */
export async function openWebHouse(options: WebHouseOptions = {}): Promise<WebHouse> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(await makeTempFolder());
  const model = resources.use(await startModelServer(options.script ?? []));
  await using unlessOpened = new AsyncDisposableStack();
  const house = unlessOpened.use(new WebHouse(folder.path, model, { ...options, resources }));
  await mkdir(house.home, { mode: 0o700 });
  await house.open();
  unlessOpened.move();
  return house;
}

export class WebHouse implements AsyncDisposable {
  readonly home: string;
  readonly model: ModelServer;
  /** What whoever runs the program was told. */
  readonly reported: string[] = [];
  readonly #env: Readonly<Record<string, string>>;
  readonly #options: WebHouseOptions & { readonly resources: AsyncDisposableStack };
  #app: App | undefined;
  #origin = '';
  #port = 0;

  constructor(
    folder: string,
    model: ModelServer,
    options: WebHouseOptions & { readonly resources: AsyncDisposableStack },
  ) {
    this.home = join(folder, 'home');
    this.model = model;
    this.#options = options;
    this.#env = { TALARIA_HOME: this.home, PATH: process.env['PATH'] ?? '', HOME: folder };
  }

  get origin(): string {
    return this.#origin;
  }

  get app(): App {
    if (this.#app === undefined) throw new Error('the house is closed');
    return this.#app;
  }

  /** Whoever starts on this home from now on is found where the first start was. */
  async keepPort(): Promise<void> {
    const model = { provider: 'custom', base_url: this.model.baseUrl, default: 'scripted' };
    const { web, terminal } = this.#options;
    const config = { model, web: { port: this.#port, ...web }, ...(terminal && { terminal }) };
    await writeFile(join(this.home, 'config.json'), JSON.stringify(withUsualSettings(config)));
  }

  async open(): Promise<void> {
    await this.keepPort();
    const { clock = systemClock, faults } = this.#options;
    this.#app = await openApp({ purpose: 'serve', model: undefined }, { env: this.#env, clock, faults });
    const { web } = await this.#app.serveChannels((line) => this.reported.push(line));
    this.#origin = web?.origin ?? '';
    this.#port = Number(URL.parse(this.#origin)?.port ?? 0);
  }

  async close(): Promise<void> {
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
  }

  /** What a command of the owner is answered, while the gateway runs or not. */
  async askDesk(asked: DeskRequest): Promise<string> {
    const { clock = systemClock } = this.#options;
    return (await askGateway(asked, { env: this.#env, clock, faults: undefined })).text;
  }

  async newCode(): Promise<string> {
    return (await this.askDesk({ type: 'link' })).split('#code=')[1] ?? '';
  }

  /** Logs a browser in, and returns its cookie. */
  async logIn(): Promise<string> {
    const { headers } = await this.ask('/api/login', { body: { code: await this.newCode() } });
    return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  }

  /** The headers of a program that has the token. */
  async asProgram(): Promise<Readonly<Record<string, string>>> {
    return { authorization: `Bearer ${(await readFile(join(this.home, 'web-token'), 'utf8')).trim()}` };
  }

  async ask(path: string, asking: Asking = {}): Promise<WebAnswer> {
    const response = await this.#request(path, asking);
    let text = '';
    for await (const chunk of response) text += String(chunk);
    const json = parseJson(text);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: isJsonObject(json) ? json : {},
    };
  }

  /** Follows a chat as a program with the token does. */
  async follow(chat: string, headers: Readonly<Record<string, string>> = {}): Promise<WebEvents> {
    const as = headers['cookie'] === undefined ? await this.asProgram() : {};
    return readEvents(await this.#request(`/api/chats/${chat}/events`, { headers: { ...as, ...headers } }));
  }

  /** Says something in a chat as a program does. */
  async say(text: string, chat = 'one', id: string = crypto.randomUUID()): Promise<WebAnswer> {
    return await this.ask(`/api/chats/${chat}/messages`, { headers: await this.asProgram(), body: { id, text } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#options.resources.disposeAsync();
  }

  /** Over node:http, which leaves every header to the test. */
  #request(path: string, { method, headers, body }: Asking): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const json = { 'content-type': 'application/json' };
      const sending = request(`${this.#origin}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { ...(body !== undefined && json), ...headers },
        agent: false,
      });
      sending.once('response', resolve);
      sending.once('error', reject);
      sending.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  }
}
