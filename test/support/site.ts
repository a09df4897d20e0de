import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a page answers: its HTML, or whatever it does by itself. */
export type SitePage = string | ((asked: IncomingMessage, answer: ServerResponse) => void);

/** A web site on loopback. */
export class Site implements AsyncDisposable {
  /** The paths that were asked for, with their cookies. */
  readonly asked: { readonly path: string; readonly cookie: string; readonly method: string }[] = [];
  /** WebSockets and tunnels that reached it. */
  readonly upgrades: string[] = [];
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  constructor(pages: Readonly<Record<string, SitePage>>) {
    this.#server = createServer((asked, answer) => {
      const path = asked.url ?? '';
      this.asked.push({ path, cookie: asked.headers.cookie ?? '', method: asked.method ?? '' });
      for (const wake of this.#waiting) wake();
      const page = pages[path.replace(/\?.*$/s, '')];
      if (typeof page === 'function') page(asked, answer);
      else answer.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    });
    this.#server.on('upgrade', (asked: IncomingMessage, socket: Socket) => {
      this.upgrades.push(asked.url ?? '');
      socket.destroy();
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** As the settings name it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  /** Resolves once a path was asked for. */
  async whenAsked(path: string): Promise<void> {
    while (!this.asked.some((seen) => seen.path === path)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export async function openSite(pages: Readonly<Record<string, SitePage>>): Promise<Site> {
  return await new Site(pages).listen();
}
