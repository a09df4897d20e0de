import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message, Update, User } from 'grammy/types';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import { TelegramChats } from './telegram-server-chats.ts';
import type { CallParameters, ShownMessage } from './telegram-server-chats.ts';
import { TelegramRefusal } from './telegram-server-faults.ts';
import type { TelegramFault } from './telegram-server-faults.ts';
import { TelegramUpdates } from './telegram-server-updates.ts';

export const botUser = { id: 777_000_111, is_bot: true, first_name: 'Talaria', username: 'talaria_bot' } as const;
export const botToken = `${botUser.id}:AAF-test_token-ABCDEFGHIJKLMNOPQRSTU`;
export const anna: User = { id: 42, is_bot: false, first_name: 'Anna', username: 'anna' };
export const ben: User = { id: 43, is_bot: false, first_name: 'Ben' };

export interface SeenCall {
  readonly method: string;
  readonly parameters: CallParameters;
}

/** What a person's message may say beyond its text. */
export type MessageFields = Partial<Message> & { readonly from?: User };

/**
 * The Bot API for tests, as its documentation describes it: real HTTP on 127.0.0.1, long polling with offsets, faults on
 * demand, and a record of every call.
 *
 *     await using server = await startTelegramServer();
 *     server.say('hello');                       // Anna, in her private chat
 *     server.fail('sendMessage', floods(3));     // the next one, and only that
 *     assert.equal(server.shown(anna.id)[0]?.text, '…');
 */
export async function startTelegramServer(): Promise<TelegramServer> {
  const server = new TelegramServer();
  await server.listen();
  return server;
}

export class TelegramServer implements AsyncDisposable {
  readonly calls: SeenCall[] = [];
  readonly chats = new TelegramChats();
  readonly updates = new TelegramUpdates();
  readonly files = new Map<string, Buffer>();
  /** Decides what happens to calls for which nothing was scripted. */
  disturb: (call: SeenCall) => TelegramFault | undefined = () => undefined;
  readonly #http: Server = createServer();
  readonly #faults = new Map<string, TelegramFault[]>();
  readonly #watchers = new Set<() => void>();
  /** Of what a chat shows: with a thousand chats nobody can look at all of them after every call. */
  readonly #chatWatchers = new Map<number, readonly (() => void)[]>();
  readonly #counts = new Map<string, number>();
  #lastUpdate = 5000;
  #token: string = botToken;

  constructor() {
    this.chats.open(anna.id);
    this.chats.open(ben.id);
    this.#http.on('request', (request, response) => {
      void this.#serve(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
    });
  }

  get apiRoot(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The id of the newest update. */
  get lastUpdate(): number {
    return this.#lastUpdate;
  }

  /** What the bot's messages in a chat look like now, in order. */
  shown(chat: number): readonly ShownMessage[] {
    return this.chats.shown(chat);
  }

  callsOf(method: string): readonly CallParameters[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.parameters);
  }

  /** Resolves once a method was called so often. */
  async whenCalled(method: string, times = 1): Promise<CallParameters> {
    while ((this.#counts.get(method) ?? 0) < times) await this.#next();
    return this.callsOf(method)[times - 1] as CallParameters;
  }

  /** Resolves once what a chat shows fits, with all of it. */
  async whenShown(chat: number, fits: (texts: readonly string[]) => boolean): Promise<readonly string[]> {
    for (;;) {
      const texts = this.shown(chat).map(({ text }) => text);
      if (fits(texts)) return texts;
      await this.#nextIn(chat);
    }
  }

  /** Scripts what happens to the next calls of a method, one fault each. */
  fail(method: string, ...faults: readonly TelegramFault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  }

  /** The owner of the bot had a new token made: the one in use is worth nothing from now on. */
  revokeToken(): void {
    this.#token = `${botUser.id}:another-one`;
  }

  /** The same, and the new token is told. */
  rotateToken(): string {
    this.#token = `${botUser.id}:BBG-new_token-ABCDEFGHIJKLMNOPQRSTU`;
    return this.#token;
  }

  /** Someone writes to the bot; without more, Anna in her private chat. */
  say(text: string, fields: MessageFields = {}): Message {
    const message = this.#message({ text, ...fields });
    this.push({ message } as Omit<Update, 'update_id'>);
    return message;
  }

  /** What someone wrote, without bringing it yet. */
  make(fields: MessageFields): Message {
    return this.#message(fields);
  }

  /** Someone sends what is not text. */
  post(fields: MessageFields): Message {
    const message = this.#message(fields);
    this.push({ message } as Omit<Update, 'update_id'>);
    return message;
  }

  edit(message: Message, text: string, editDate: number): void {
    this.push({ edited_message: { ...message, text, edit_date: editDate } } as Omit<Update, 'update_id'>);
  }

  /** Someone presses a button under a message of the bot. */
  press(data: string, fields: MessageFields = {}): void {
    const message = { ...this.#message(fields), from: botUser };
    const from = fields.from ?? anna;
    this.push({ callback_query: { id: `query-${this.#lastUpdate}`, from, message, chat_instance: '1', data } });
  }

  push(update: Omit<Update, 'update_id'>): void {
    this.#lastUpdate += 1;
    this.updates.push({ update_id: this.#lastUpdate, ...update });
  }

  async listen(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  #message(fields: MessageFields): Message {
    const from = fields.from ?? anna;
    const chat = fields.chat ?? { id: from.id, type: 'private', first_name: from.first_name };
    this.chats.open(chat.id, fields.message_thread_id);
    const message = { message_id: this.chats.nextMessageId(), date: 1_767_225_600, from, chat, ...fields };
    this.chats.hear(chat.id, message.message_id, fields.message_thread_id);
    return message;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const [, kind, token, method] = /^\/(file\/)?bot([^/]*)\/(.*)$/.exec(request.url ?? '') ?? [];
    if (token !== this.#token || method === undefined) return answer(response, 401, refusal(401, 'Unauthorized'));
    if (kind !== undefined) return this.#serveFile(method, response);
    const call = { method, parameters: await readParameters(request, Buffer.concat(chunks)) };
    this.calls.push(call);
    this.#counts.set(method, (this.#counts.get(method) ?? 0) + 1);
    this.#wakeWatchers();
    await this.#answer(call, response);
    this.#wakeWatchers();
    this.#wakeChat(Number(call.parameters['chat_id']));
  }

  #wakeChat(chat: number): void {
    for (const wake of this.#chatWatchers.get(chat) ?? []) wake();
    this.#chatWatchers.delete(chat);
  }

  async #nextIn(chat: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#chatWatchers.set(chat, [...(this.#chatWatchers.get(chat) ?? []), resolve]);
    await promise;
  }

  #wakeWatchers(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  async #answer(call: SeenCall, response: ServerResponse): Promise<void> {
    const fault = this.#faults.get(call.method)?.shift() ?? this.disturb(call);
    if (fault?.type === 'drops-before-acting') return void response.destroy();
    if (fault?.type === 'answers') {
      return answer(response, fault.status, refusal(fault.status, fault.description, fault.parameters));
    }
    if (fault?.type === 'answers-html') {
      response.writeHead(fault.status, { 'content-type': 'text/html' });
      return void response.end('<html><h1>502 Bad Gateway</h1></html>');
    }
    if (fault?.type === 'waits') await fault.gate;
    const { status, body } = await this.#act(call, response);
    if (fault?.type === 'drops-after-acting') return void response.destroy();
    answer(response, status, body);
  }

  async #act(call: SeenCall, response: ServerResponse): Promise<{ readonly status: number; readonly body: object }> {
    try {
      return { status: 200, body: { ok: true, result: await this.#run(call, response) } };
    } catch (thrown) {
      if (!(thrown instanceof TelegramRefusal)) throw thrown;
      return { status: thrown.status, body: refusal(thrown.status, thrown.message, thrown.parameters) };
    }
  }

  async #run({ method, parameters }: SeenCall, response: ServerResponse): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return { ...botUser, can_join_groups: true, can_read_all_group_messages: false };
      case 'getUpdates':
        return await this.updates.get(parameters, whenGone(response));
      case 'sendMessage':
        return this.chats.send(parameters);
      case 'sendDocument':
        return this.chats.sendFile(parameters, 'document');
      case 'sendPhoto':
        return this.chats.sendFile(parameters, 'photo');
      case 'editMessageText':
        return this.chats.edit(parameters);
      case 'editMessageReplyMarkup':
        return this.chats.editButtons(parameters);
      case 'deleteMessage':
        return this.chats.delete(parameters);
      case 'sendChatAction':
        return this.chats.act(parameters);
      case 'setWebhook':
        this.updates.webhook = String(parameters['url']);
        return true;
      case 'deleteWebhook':
        this.updates.webhook = '';
        return true;
      case 'answerCallbackQuery':
      case 'setMyCommands':
        return true;
      case 'getFile':
        return this.#findFile(String(parameters['file_id']));
      default:
        throw new TelegramRefusal(404, 'Not Found: method not found');
    }
  }

  #findFile(id: string): object {
    const content = this.files.get(id);
    if (content === undefined) throw new TelegramRefusal(400, 'Bad Request: invalid file_id');
    if (content.length > 20 * 1024 * 1024) throw new TelegramRefusal(400, 'Bad Request: file is too big');
    return { file_id: id, file_unique_id: id, file_size: content.length, file_path: `files/${id}` };
  }

  #serveFile(path: string, response: ServerResponse): void {
    const content = this.files.get(path.replace('files/', ''));
    response.writeHead(content === undefined ? 404 : 200);
    response.end(content);
  }

  async #next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watchers.add(resolve);
    await promise;
  }
}

/** Files come as forms: fields are JSON or text, and what `attach://` names is the file itself. */
async function readParameters(request: IncomingMessage, body: Buffer): Promise<CallParameters> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) {
    const json = parseJson(body.toString());
    return isJsonObject(json) ? json : {};
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of form) {
    const attached = typeof value === 'string' && value.startsWith('attach://') ? form.get(value.slice(9)) : undefined;
    if (attached instanceof File) {
      parameters[name] = { name: attached.name, bytes: Buffer.from(await attached.arrayBuffer()) };
    } else if (typeof value === 'string') {
      parameters[name] = parseJson(value) ?? value;
    }
  }
  return parameters;
}

function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

function refusal(status: number, description: string, parameters?: object): object {
  return { ok: false, error_code: status, description, ...(parameters && { parameters }) };
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
