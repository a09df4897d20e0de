import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { openClient } from './http-agent.ts';
import type { HttpClient } from './http-agent.ts';
import { HttpExchange } from './http-exchange.ts';
import { decideWay } from './http-proxy.ts';
import type { Environment, Way } from './http-proxy.ts';
import type { HttpTimeouts } from './http-timeouts.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

export interface HttpTransportOptions {
  readonly timeouts: (bodyBytes: number) => HttpTimeouts;
  readonly clock?: Clock;
  /** The proxies and certificates of this machine; without it there are none. */
  readonly network?: Network;
}

export interface Network {
  readonly environment: Environment;
  /** A model on this machine or its network is reached without a detour. */
  readonly proxies: 'as-set' | 'unused';
}

/** Talks HTTP over kept connections of its own. Redirects are handed back like any answer: a credential stays with its host. */
export class HttpTransport implements Transport {
  readonly #timeouts: (bodyBytes: number) => HttpTimeouts;
  readonly #clock: Clock;
  readonly #network: Network | undefined;
  readonly #clients = new Map<string, HttpClient>();
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    this.#timeouts = options.timeouts;
    this.#clock = options.clock ?? systemClock;
    this.#network = options.network;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    try {
      const url = new URL(request.url);
      const client = this.#clientOf(url);
      if (signal.aborted) return { type: 'failed', failure: { type: 'aborted' } };
      if (this.#isClosed) return unreachable('the client is closed');
      return await this.#exchange(client, url, request, signal);
    } catch (thrown) {
      // An address or a header that cannot be sent: trying again would not help, so it is not the transport's failure.
      return { type: 'failed', failure: { type: 'protocol', message: describeError(thrown) } };
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const client of this.#clients.values()) client.agent.destroy();
    return Promise.resolve();
  }

  #exchange(client: HttpClient, url: URL, request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const body = request.bytes ?? Buffer.from(request.body);
    const message = client.request(url, {
      method: request.method ?? 'POST',
      agent: client.agent,
      headers: { ...request.headers, 'accept-encoding': 'identity', 'content-length': body.length },
    });
    const timeouts = this.#timeouts(body.length);
    const { proxy } = client;
    const exchange = new HttpExchange(message, { server: url.host, proxy, clock: this.#clock, timeouts, signal });
    message.end(body);
    return exchange.answer();
  }

  #clientOf(url: URL): HttpClient {
    const way = this.#wayTo(url);
    const key = `${url.protocol} ${way.type}`;
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = openClient(url.protocol, way, this.#network?.environment);
    this.#clients.set(key, client);
    return client;
  }

  #wayTo(url: URL): Way {
    if (this.#network?.proxies !== 'as-set') return { type: 'direct' };
    return decideWay(url, this.#network.environment);
  }
}

function unreachable(message: string): TransportAnswer {
  return { type: 'failed', failure: { type: 'transport', kind: 'connect-error', message } };
}
