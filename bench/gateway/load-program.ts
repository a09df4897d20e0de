import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createParser } from 'eventsource-parser';
import { answerTo } from './answer.ts';
import type { Load, LoadReport } from './load.ts';

// A program of its own: people in chats, each of whom waits for an answer before the next message. Prints a `LoadReport`.

const load = JSON.parse(process.env['LOAD'] ?? '') as Load;
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${load.token}` };
async function talk(): Promise<LoadReport> {
  const chats = load.chats.values();
  const ready = new Gate(Math.min(load.atOnce, load.chats.length));
  const times: number[] = [];
  let start = 0;
  const serveChats = async (): Promise<void> => {
    for (const name of chats) {
      using chat = await Chat.open(name);
      for (let round = 0; round < load.warmUp; round += 1) await chat.say(`warm-up ${round} in ${name}`);
      await ready.pass();
      start ||= performance.now();
      for (let round = 0; round < load.rounds; round += 1) times.push(await chat.say(`question ${round} in ${name}`));
      chat.check();
    }
  };
  await Promise.all(Array.from({ length: load.atOnce }, serveChats));
  return { seconds: (performance.now() - start) / 1000, times };
}

/** Opens for all once so many stand before it. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  #missing: number;

  constructor(count: number) {
    this.#missing = count;
  }

  async pass(): Promise<void> {
    this.#missing -= 1;
    if (this.#missing <= 0) this.#opened.resolve();
    await this.#opened.promise;
  }
}

interface Item {
  readonly id: string;
  readonly type: string;
  readonly text: string;
}

/** One chat over HTTP. What was answered wrong, twice or unasked ends the program: its figures would be worth nothing. */
class Chat implements Disposable {
  readonly #name: string;
  readonly #stream: IncomingMessage;
  readonly #seen = new Set<string>();
  readonly #standing = Promise.withResolvers<void>();
  #isStanding = false;
  #waiting: { readonly expected: string; readonly answered: () => void } | undefined;
  #said = 0;
  #replies = 0;

  private constructor(name: string, stream: IncomingMessage) {
    this.#name = name;
    this.#stream = stream;
    const parser = createParser({ onEvent: ({ event, data }) => this.#take(event ?? '', data) });
    stream.on('data', (chunk) => parser.feed(String(chunk)));
  }

  static async open(name: string): Promise<Chat> {
    const asking = request(`${load.origin}/api/chats/${name}/events`, { headers });
    asking.end();
    const [stream] = (await once(asking, 'response')) as [IncomingMessage];
    if (stream.statusCode !== 200) throw new Error(`no stream: ${await readText(stream)}`);
    const chat = new Chat(name, stream);
    await chat.#standing.promise;
    return chat;
  }

  /** Resolves with how many milliseconds passed until its answer was there. */
  async say(said: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const start = performance.now();
    this.#waiting = { expected: answerTo(said), answered: resolve };
    this.#said += 1;
    await Promise.all([this.#post(said), promise]);
    return performance.now() - start;
  }

  check(): void {
    if (this.#replies !== this.#said) throw new Error(`${this.#replies} replies to ${this.#said} messages`);
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }

  async #post(said: string): Promise<void> {
    const body = JSON.stringify({ id: randomUUID(), text: said });
    // A kept connection may be closed at the very moment it is used again; under the same id nothing is taken in twice.
    const outcome = await this.#send(body).catch(() => this.#send(body));
    if (!/"(admitted|ignored)"/.test(outcome)) throw new Error(`${said} was not admitted: ${outcome}`);
  }

  async #send(body: string): Promise<string> {
    const posting = request(`${load.origin}/api/chats/${this.#name}/messages`, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    posting.end(body);
    const [response] = (await once(posting, 'response')) as [IncomingMessage];
    return await readText(response);
  }

  #take(event: string, data: string): void {
    if (event === 'standing') {
      this.#isStanding = true;
      this.#standing.resolve();
    }
    if (event !== 'item') return;
    const item = JSON.parse(data) as Item;
    if (this.#seen.has(item.id)) throw new Error(`${item.id} was told twice`);
    this.#seen.add(item.id);
    // What was said before this load began is told first.
    if (item.type === 'user' || !this.#isStanding) return;
    if (item.text !== this.#waiting?.expected) throw new Error(`not what was asked for: ${data}`);
    this.#replies += 1;
    const { answered } = this.#waiting;
    this.#waiting = undefined;
    answered();
  }
}

console.log(JSON.stringify(await talk()));
agent.destroy();
