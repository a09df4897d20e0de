import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Clock } from '../base/clock.ts';
import { systemErrorCode } from '../base/errors.ts';
import type { TransportKind } from '../model/provider.ts';
import type { HttpTimeouts } from './http-timeouts.ts';
import type { BodyPiece, TransportAnswer, TransportFailure } from './transport.ts';

export interface ExchangeOptions {
  /** The server's name in messages. */
  readonly server: string;
  /** The proxy in between, if any, for messages. */
  readonly proxy: string | undefined;
  readonly clock: Clock;
  readonly timeouts: HttpTimeouts;
  readonly signal: AbortSignal;
}

// The end of an answer trails its last event by a packet. Waiting for it a moment keeps the connection for the next call.
const lingerMs = 100;
const lingerBytes = 65_536;

/**
 * One request and its answer. The first thing that goes wrong is the verdict; whatever the socket reports after that
 * only follows from it.
 */
export class HttpExchange {
  readonly #message: ClientRequest;
  readonly #options: ExchangeOptions;
  readonly #over = new AbortController();
  readonly #startedAt: number;
  #phase: 'connecting' | 'waiting' | 'held' = 'connecting';
  #quietSince: number;
  #verdict: TransportFailure | undefined;
  #wake: (() => void) | undefined;
  /** Answers with a failure, as long as there is no answer. */
  #giveUp: ((failure: TransportFailure) => void) | undefined;

  constructor(message: ClientRequest, options: ExchangeOptions) {
    this.#message = message;
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#quietSince = this.#startedAt;
  }

  /** Resolves with the head of the answer. To be called once, before anything was sent. */
  answer(): Promise<TransportAnswer> {
    const { promise, resolve } = Promise.withResolvers<TransportAnswer>();
    this.#giveUp = (failure) => {
      this.#end();
      resolve({ type: 'failed', failure });
    };
    this.#options.signal.addEventListener('abort', this.#stop, { once: true });
    this.#message.once('socket', (socket) => this.#awaitConnection(socket));
    this.#message.once('response', (response) => {
      this.#giveUp = undefined;
      resolve(this.#describe(response));
    });
    this.#message.on('error', (thrown) => this.#fail(this.#judge(thrown)));
    void this.#watchTime();
    return promise;
  }

  readonly #stop = (): void => {
    this.#fail({ type: 'aborted' });
  };

  #awaitConnection(socket: Socket): void {
    const connected = (): void => {
      this.#phase = 'waiting';
      this.#quietSince = this.#options.clock.monotonic();
    };
    if (!socket.connecting) connected();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
  }

  #describe(response: IncomingMessage): TransportAnswer {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
    for (const event of ['readable', 'end', 'close'] as const) response.on(event, () => this.#wake?.());
    response.on('error', (thrown) => this.#fail(this.#judge(thrown)));
    this.#phase = 'held';
    return { type: 'answered', status: response.statusCode ?? 0, headers, body: this.#read(response) };
  }

  async *#read(response: IncomingMessage): AsyncGenerator<BodyPiece, void> {
    try {
      for (;;) {
        if (this.#verdict !== undefined) {
          yield { type: 'failed', failure: this.#verdict };
          return;
        }
        const bytes = response.read() as Uint8Array | null;
        if (bytes !== null) yield { type: 'bytes', bytes };
        else if (response.readableEnded) return;
        else await this.#quiet(response);
      }
    } finally {
      this.#end();
      if (!response.readableEnded && !response.destroyed) this.#letGo(response);
    }
  }

  /** Waits for the next sign of the answer. Silence counts only in here: a slow reader is not a silent server. */
  async #quiet(response: IncomingMessage): Promise<void> {
    if (response.destroyed) {
      this.#fail(this.#judge(undefined));
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    this.#phase = 'waiting';
    this.#quietSince = this.#options.clock.monotonic();
    await promise;
    this.#phase = 'held';
  }

  async #watchTime(): Promise<void> {
    const { clock, timeouts } = this.#options;
    for (;;) {
      const due = this.#nextLimit();
      if (due.leftMs <= 0) {
        this.#fail(due.failure);
        return;
      }
      // No longer than the shortest limit, since the phase may change meanwhile.
      const restMs = Math.min(due.leftMs, timeouts.silenceMs ?? due.leftMs);
      const news = await clock.sleep(restMs, this.#over.signal).then(
        () => 'time-passed',
        () => 'exchange-over',
      );
      if (news === 'exchange-over') return;
    }
  }

  #nextLimit(): { readonly leftMs: number; readonly failure: TransportFailure } {
    const { clock, timeouts } = this.#options;
    const now = clock.monotonic();
    const totalLeftMs = this.#startedAt + timeouts.totalMs - now;
    if (this.#phase === 'connecting') {
      const leftMs = Math.min(totalLeftMs, this.#startedAt + timeouts.connectMs - now);
      return { leftMs, failure: this.#timeout('connect-timeout', 'did not take the connection in time') };
    }
    const quietSince = this.#phase === 'held' ? now : this.#quietSince;
    const silenceLeftMs = quietSince + (timeouts.silenceMs ?? Infinity) - now;
    if (silenceLeftMs < totalLeftMs) {
      const seconds = Math.round((timeouts.silenceMs ?? 0) / 1000);
      return { leftMs: silenceLeftMs, failure: this.#timeout('read-timeout', `was silent for ${seconds} s`) };
    }
    return { leftMs: totalLeftMs, failure: this.#timeout('read-timeout', 'did not finish its answer in time') };
  }

  #timeout(kind: TransportKind, what: string): TransportFailure {
    return { type: 'transport', kind, message: `${this.#options.server} ${what}` };
  }

  /** Kinds are told apart by code and phase; the text is for people. */
  #judge(thrown: unknown): TransportFailure {
    const { server, proxy } = this.#options;
    const code = systemErrorCode(thrown) ?? 'closed';
    if (code.startsWith('HPE_')) return { type: 'protocol', message: `${server} does not speak HTTP (${code})` };
    const isTimeout = code === 'ETIMEDOUT';
    if (this.#phase === 'connecting') {
      const kind = isTimeout ? 'connect-timeout' : 'connect-error';
      const reason = [describeTunnel(thrown) ?? code, proxy ?? []].flat().join('; ');
      return { type: 'transport', kind, message: `cannot reach ${server} (${reason})` };
    }
    const kind = isTimeout ? 'read-timeout' : 'cut';
    return { type: 'transport', kind, message: `the connection to ${server} was lost (${code})` };
  }

  /** Ends the exchange. Nobody waits for the request to end too: one whose proxy says nothing does not report it. */
  #fail(failure: TransportFailure): void {
    this.#verdict ??= failure;
    this.#message.destroy();
    this.#giveUp?.(this.#verdict);
    this.#wake?.();
  }

  #end(): void {
    this.#options.signal.removeEventListener('abort', this.#stop);
    // With a reason, here and below, since an error made for each exchange would cost more than the waiting.
    this.#over.abort('over');
  }

  #letGo(response: IncomingMessage): void {
    const closed = new AbortController();
    let discarded = 0;
    // As long as anyone listens for `readable` a response does not flow.
    response.removeAllListeners('readable');
    response.once('close', () => closed.abort('closed'));
    response.on('data', (bytes: Uint8Array) => {
      discarded += bytes.length;
      if (discarded > lingerBytes) response.destroy();
    });
    response.resume();
    this.#options.clock.sleep(lingerMs, closed.signal).then(
      () => response.destroy(),
      () => undefined,
    );
  }
}

/** A proxy that will not connect us says why with a status. */
function describeTunnel(thrown: unknown): string | undefined {
  if (systemErrorCode(thrown) !== 'ERR_PROXY_TUNNEL') return undefined;
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
  return typeof status === 'number' ? `the proxy answered ${status}` : 'the proxy did not connect';
}
