import assert from 'node:assert/strict';
import type { Clock } from '../../../src/base/clock.ts';
import { createLog } from '../../../src/base/log.ts';
import { newId } from '../../../src/base/ids.ts';
import { createTelegramChannel } from '../../../src/channels/telegram/telegram-channel.ts';
import type { TelegramChannel, TelegramOptions } from '../../../src/channels/telegram/telegram-channel.ts';
import type { Inbound, Outbound, Receipt } from '../../../src/model/channel.ts';
import { partsToText } from '../../../src/model/message.ts';
import type { Address } from '../../../src/model/session.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anna, botToken, botUser, startTelegramServer } from '../../support/telegram-server.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';

export const privateChat: Address = {
  platform: 'telegram',
  account: String(botUser.id),
  chat: String(anna.id),
  thread: '',
};

/** A channel that talks to a Bot API server of its own, over HTTP. */
export interface TelegramBench extends AsyncDisposable {
  readonly server: TelegramServer;
  readonly channel: TelegramChannel;
  readonly clock: ManualClock;
  readonly log: readonly string[];
  /** Resolves once the channel has gone to sleep for just so long, so and so often. */
  whenAsleepFor(ms: number, times?: number): Promise<void>;
  /** Begins to receive. The iterator ends with the bench. */
  receive(): AsyncIterator<Inbound>;
  send(text: string, fields?: Partial<Outbound>): Promise<Receipt>;
  /** A second life of the same bot: what the first kept in memory is gone. */
  restart(options?: Partial<TelegramOptions>): TelegramChannel;
}

export async function openTelegram(options: Partial<TelegramOptions> = {}): Promise<TelegramBench> {
  const server = await startTelegramServer();
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line),
    () => clock.now(),
    (text) => text,
  );
  const sleeps = new Sleeps(clock);
  const usual = { token: botToken, apiRoot: server.apiRoot, workdir: '/', clock: sleeps, log, ...options };
  const create = (more: Partial<TelegramOptions> = {}): TelegramChannel => createTelegramChannel({ ...usual, ...more });
  const channel = create();
  const stopping = new AbortController();
  return {
    server,
    channel,
    clock,
    log: lines,
    whenAsleepFor: (ms, times = 1) => sleeps.whenAsleepFor(ms, times),
    receive: () => channel.receive(stopping.signal)[Symbol.asyncIterator](),
    send: (text, fields) => channel.send(outbound(text, fields), stopping.signal),
    restart: create,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A clock that remembers who slept on it for how long: typing sleeps all the time, so that a sleeper alone says little. */
class Sleeps implements Clock {
  readonly #clock: Clock;
  readonly #slept: number[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const sleeping = this.#clock.sleep(ms, signal);
    this.#slept.push(ms);
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
    return sleeping;
  }

  async whenAsleepFor(ms: number, times: number): Promise<void> {
    while (this.#slept.filter((slept) => slept === ms).length < times) {
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }
}

export function outbound(text: string, fields: Partial<Outbound> = {}): Outbound {
  const id = newId('outbox', 0);
  return { id, address: privateChat, kind: 'reply', text, copy: 'first', digest: undefined, ...fields };
}

export async function next(received: AsyncIterator<Inbound>): Promise<Inbound> {
  const result = await received.next();
  assert.ok(result.done !== true, 'the channel ended');
  return result.value;
}

/** The next thing that someone said. */
export async function nextText(received: AsyncIterator<Inbound>): Promise<string> {
  const inbound = await next(received);
  assert.equal(inbound.type, 'message');
  return inbound.type === 'message' ? partsToText(inbound.parts) : '';
}
