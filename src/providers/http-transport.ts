import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { trustExtraCertificates } from './http-certificates.ts';
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

/** What `node:http` and `node:https` have in common. */
interface HttpModule {
  readonly Agent: new (options: AgentOptions) => Agent;
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
}

interface HttpClient {
  readonly agent: Agent;
  readonly request: HttpModule['request'];
  /** What failures to connect should mention. */
  readonly proxy: string | undefined;
}

// A server closes idle connections without asking. One that we closed first cannot fail under the next request.
const idleConnectionMs = 15_000;

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
    const body = Buffer.from(request.body);
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
    const client = this.#openClient(url.protocol, way);
    this.#clients.set(key, client);
    return client;
  }

  #wayTo(url: URL): Way {
    if (this.#network?.proxies !== 'as-set') return { type: 'direct' };
    return decideWay(url, this.#network.environment);
  }

  #openClient(protocol: string, way: Way): HttpClient {
    const { Agent, request } = loadClient(protocol);
    const secureContext =
      protocol === 'https:' && this.#network !== undefined
        ? trustExtraCertificates(this.#network.environment)
        : undefined;
    const agent = new Agent({
      keepAlive: true,
      timeout: idleConnectionMs,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(way.type === 'proxied' ? { proxyEnv: way.proxyEnv } : {}),
    });
    return { agent, request, proxy: way.type === 'proxied' ? way.setting : undefined };
  }
}

// Reached through the process: an import would run every lazy export of `node:http`, and one of them is the whole of the
// built-in fetch, which costs ten times as much as the rest.
function loadClient(protocol: string): HttpModule {
  if (protocol === 'http:') return process.getBuiltinModule('node:http');
  if (protocol === 'https:') return process.getBuiltinModule('node:https');
  throw new TypeError(`the address of a model begins with http:// or https://, not ${protocol}`);
}

function unreachable(message: string): TransportAnswer {
  return { type: 'failed', failure: { type: 'transport', kind: 'connect-error', message } };
}
