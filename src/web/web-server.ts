import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, describeError, systemErrorCode } from '../base/errors.ts';
import type { WebSettings } from '../model/config.ts';
import type { WebLogins } from '../model/store.ts';
import { isLoopbackHost, usualWebPort } from '../model/web-host.ts';
import type { ChatRoutesDeps } from './chat-routes.ts';
import { Logins } from './logins.ts';
import { OpenStreams } from './open-streams.ts';
import { readPageFiles } from './page-files.ts';
import { createRoutes } from './routes.ts';
import { WrongTries } from './wrong-tries.ts';

export interface WebServerDeps extends Omit<ChatRoutesDeps, 'streams'> {
  readonly settings: WebSettings;
  readonly webLogins: WebLogins;
  /** What programs show instead of a login. */
  readonly token: string;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
}

/** The page, served. */
export interface WebServer extends AsyncDisposable {
  readonly origin: string;
  /** Why it is at another port than people expect; undefined where it is not. */
  readonly note: string | undefined;
  /** An address that lets a browser in, once. */
  newLink(): string;
  /** Ends every login and what is open by one. Says how many there were. */
  logOutAll(): Promise<number>;
}

const mostConnections = 2000;
const longestRequestMs = 15_000;

/** Listens for browsers. Throws `bad-config` where the settings do not allow it, or the port that they name is taken. */
export async function openWebServer(deps: WebServerDeps): Promise<WebServer> {
  const { settings, webLogins, clock, token } = deps;
  refuseOpenHost(settings);
  const files = await readPageFiles();
  const logins = new Logins({ webLogins, clock, token });
  const streams = new OpenStreams();
  // Known only once it listens, and no request comes before that.
  let answer: ReturnType<typeof createRoutes>['fetch'] | undefined;
  const server = createAdaptorServer({
    fetch: (request, env) => answer?.(request, env) ?? new Response(null, { status: 503 }),
  }) as Server;
  server.maxConnections = mostConnections;
  server.requestTimeout = longestRequestMs;
  const { port, note } = await listen(server, settings);
  answer = createRoutes({
    ...deps,
    files,
    logins,
    streams,
    tries: new WrongTries(clock),
    // Cookies do not tell ports apart, and several gateways may run on one machine.
    cookieName: `talaria_${port}`,
    allowedHosts: hostsOf(settings, port),
  }).fetch;
  if (!isLoopbackHost(settings.host))
    deps.report(`the page can be reached by other machines, at ${settings.host}; without TLS they can read along`);
  const origin = `http://${inUrl(reachableHost(settings.host))}:${port}`;
  if (note !== undefined) deps.log.write('warn', `${note}; the page is served at ${origin}`);
  return {
    origin,
    note,
    newLink: () => `${origin}/#code=${logins.newCode()}`,
    async logOutAll() {
      const count = await logins.endAll();
      streams.endOfBrowsers();
      return count;
    },
    async [Symbol.asyncDispose]() {
      streams.endAll();
      await close(server);
    },
  };
}

function refuseOpenHost({ host, isExposed }: WebSettings): void {
  if (isLoopbackHost(host) || isExposed) return;
  const advice = 'set web.expose to true if that is meant, and put a proxy with TLS before it';
  throw new AppError('bad-config', `web.host ${host} can be reached by other machines: ${advice}`);
}

type Listening = Pick<WebServer, 'note'> & { readonly port: number };

/** The port of the settings and no other; without one the usual port, or a free one where that is taken. */
async function listen(server: Server, { host, port }: WebSettings): Promise<Listening> {
  try {
    return { port: await listenAt(server, host, port ?? usualWebPort), note: undefined };
  } catch (thrown) {
    const isTaken = systemErrorCode(thrown) === 'EADDRINUSE';
    if (port === undefined && isTaken)
      return { port: await listenAt(server, host, 0), note: `${usualWebPort} is in use` };
    const reason = isTaken ? 'it is taken; set another web.port, or web.enabled to false' : describeError(thrown);
    throw new AppError('bad-config', `the page cannot be served at ${host}, port ${port ?? usualWebPort}: ${reason}`, {
      cause: thrown,
    });
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** The names under which a browser may reach it: what a stranger's name resolves to proves nothing. */
function hostsOf({ host, allowedHosts }: WebSettings, port: number): ReadonlySet<string> {
  const own = ['127.0.0.1', 'localhost', '[::1]', inUrl(host)].map((name) => `${name}:${port}`);
  return new Set([...own, ...allowedHosts].map((name) => name.toLowerCase()));
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
