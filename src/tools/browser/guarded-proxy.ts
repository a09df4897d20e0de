import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BarredHost } from '../web/guarded-lookup.ts';
import type { UrlGuard } from './url-guard.ts';

const mostRefusals = 200;

/**
 * The only way out of the browser, on loopback: pages, redirects, frames, workers and WebSockets all come through here.
 * A name is looked up here and nowhere else, and what was checked is what is connected to, so that it cannot mean
 * another address a moment later.
 */
export class GuardedProxy implements AsyncDisposable {
  readonly #guard: UrlGuard;
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();
  readonly #refusals = new Map<string, string>();

  constructor(guard: UrlGuard) {
    this.#guard = guard;
    this.#server = createServer((asked, answer) => void this.#forward(asked, answer));
    this.#server.on('connect', (asked: IncomingMessage, socket: Duplex) => void this.#tunnel(asked, socket));
    // Tunnels last as long as what is in them.
    this.#server.requestTimeout = 0;
  }

  /** Begins to listen, and says where. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Why something was not let through lately, if that is why it did not arrive. */
  refusalOf(url: string): string | undefined {
    return URL.canParse(url) ? this.#refusals.get(new URL(url).hostname) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const tunnel of this.#tunnels) tunnel.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Plain HTTP. What a page elsewhere would send here names no host and no scheme, and gets nothing. */
  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    asked.on('error', () => answer.destroy());
    answer.on('error', () => asked.destroy());
    const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
    const lookup = url?.protocol === 'http:' ? await this.#lookUp(url.hostname, Number(url.port || 80)) : undefined;
    if (url === undefined || lookup === undefined) {
      answer.destroy();
      return;
    }
    const { 'proxy-connection': _ours, 'proxy-authorization': _too, ...headers } = asked.headers;
    const { hostname, port, pathname, search } = url;
    const onward = request({ hostname, port, path: pathname + search, method: asked.method, headers, lookup });
    onward.on('response', (reply) => {
      reply.on('error', () => answer.destroy());
      answer.writeHead(reply.statusCode ?? 502, reply.statusMessage, reply.rawHeaders);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  /** HTTPS and WebSockets. */
  async #tunnel(asked: IncomingMessage, socket: Duplex): Promise<void> {
    this.#keep(socket);
    const [, host = '', port = ''] = /^(.*):(\d+)$/s.exec(asked.url ?? '') ?? [];
    const lookup = await this.#lookUp(host, Number(port));
    if (lookup === undefined) {
      socket.destroy();
      return;
    }
    const onward: Socket = connect({ host: host.replace(/^\[(.*)\]$/s, '$1'), port: Number(port), lookup });
    this.#keep(onward);
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
  }

  /** A lookup that gives what was checked; undefined where nothing may be connected to. */
  async #lookUp(host: string, port: number): Promise<LookupFunction | undefined> {
    try {
      const addresses = await this.#guard.resolve(host, port);
      const [first] = addresses;
      if (first === undefined) return undefined;
      return (_host, { all }, callback) => {
        if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      };
    } catch (thrown) {
      // A name that nobody knows is no refusal: the browser says that the page cannot be reached.
      if (thrown instanceof BarredHost) this.#refuse(host, thrown.message);
      return undefined;
    }
  }

  #refuse(host: string, reason: string): void {
    this.#refusals.delete(host);
    this.#refusals.set(host, reason);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > mostRefusals && oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** An error ends what it happened to, and nothing else. */
  #keep(socket: Duplex): void {
    this.#tunnels.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#tunnels.delete(socket));
  }
}
