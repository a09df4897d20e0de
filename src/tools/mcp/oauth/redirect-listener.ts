import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, systemErrorCode } from '../../../base/errors.ts';
import { readRedirect } from './redirect-answer.ts';
import type { RedirectAnswer } from './redirect-answer.ts';

export type Returned = Exclude<RedirectAnswer, { readonly type: 'foreign' }>;

/** How the login ended, for the page in the browser. */
export type LoginEnd = 'logged-in' | 'failed';

export interface RedirectListener extends AsyncDisposable {
  readonly url: string;
  /** Listens for the one browser that brings this state. Resolves with what it brings first; it is answered once `end` is known. */
  listen(state: string, end: Promise<LoginEnd>): Promise<Returned>;
}

const path = '/callback';
const lastPageMs = 2000;

/** A place on this machine alone for a browser to come back to. It answers one login, and nothing else. */
export async function openRedirectListener(port: number | undefined): Promise<RedirectListener> {
  const server = process.getBuiltinModule('node:http').createServer();
  server.listen(port ?? 0, '127.0.0.1');
  await whenListening(server, port);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}${path}`,
    listen: (state, end) =>
      new Promise((resolve) => {
        let isTaken = false;
        server.on('request', (request: IncomingMessage, response: ServerResponse) => {
          const answer = readRequest(request, host, state);
          if (answer === undefined) return show(response, 404, 'There is nothing here.');
          if (answer.type === 'foreign' || isTaken) return show(response, 400, notOurs);
          isTaken = true;
          resolve(answer);
          void end.then((how) => show(response, 200, endings[how]));
        });
      }),
    async [Symbol.asyncDispose]() {
      // Whoever waits for the last page gets it, within a moment; connections that are only kept open end.
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), lastPageMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(late);
    },
  };
}

async function whenListening(server: Server, port: number | undefined): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EADDRINUSE') throw thrown;
    throw new AppError('bad-config', `the port ${port} that the login should lead back to is in use`, {
      cause: thrown,
    });
  }
}

function readRequest(
  { method, headers, url }: IncomingMessage,
  host: string,
  state: string,
): RedirectAnswer | undefined {
  const [asked, query = ''] = (url ?? '').split('?', 2);
  if (method !== 'GET' || headers.host !== host || asked !== path) return undefined;
  return readRedirect(new URLSearchParams(query), state);
}

const notOurs = 'This is not the login that Talaria waits for. Begin again with the address that it shows.';

const endings: Readonly<Record<LoginEnd, string>> = {
  'logged-in': 'You are logged in. This page can be closed.',
  failed: 'The login did not work. The terminal says why; this page can be closed.',
};

/** Nothing that came from outside is ever shown. */
function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><title>Talaria</title><h1>Talaria</h1><p>${text}</p></html>`);
}
