import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { describeError, isPassing } from '../base/errors.ts';
import { addChatRoutes } from './chat-routes.ts';
import type { ChatRoutesDeps } from './chat-routes.ts';
import { judgeRequest } from './judge-request.ts';
import { loginLifeMs } from './logins.ts';
import type { Caller, Logins } from './logins.ts';
import type { OpenStreams } from './open-streams.ts';
import type { PageFiles } from './page-files.ts';
import { readBody } from './read-body.ts';
import { secureHeaders } from './secure-headers.ts';
import type { WebEnv } from './web-env.ts';
import type { WrongTries } from './wrong-tries.ts';

export interface RoutesDeps extends ChatRoutesDeps {
  readonly files: PageFiles;
  readonly logins: Logins;
  readonly tries: WrongTries;
  readonly streams: OpenStreams;
  readonly cookieName: string;
  readonly allowedHosts: ReadonlySet<string>;
}

const longestCode = 1024;
const longestMessage = 256 * 1024;

/** Everything that can be asked over HTTP. All but the page itself and the exchange of a code needs a login or the token. */
export function createRoutes(deps: RoutesDeps): Hono<WebEnv> {
  const app = new Hono<WebEnv>();
  app.use(secureHeaders, refuseOthers(deps.allowedHosts));
  app.post('/api/login', limitBody(longestCode), (c) => logIn(c, deps));
  // Of a stranger nothing is read but the headers.
  app.use('/api/*', requireCaller(deps), limitBody(longestMessage));
  app.post('/api/logout', (c) => logOut(c, deps));
  addChatRoutes(app, deps);
  app.get('/*', (c) => {
    const file = deps.files.get(c.req.path);
    if (file === undefined) return refuse(c, 404, 'there is no such page');
    return c.body(file.bytes, 200, { 'content-type': file.type, 'cache-control': 'no-cache' });
  });
  app.notFound((c) => refuse(c, 404, 'there is nothing here'));
  app.onError((thrown, c) => {
    if (thrown instanceof HTTPException) return refuse(c, thrown.status, thrown.message);
    deps.log.write('error', 'a request failed', { path: c.req.path, reason: describeError(thrown) });
    return refuse(c, isPassing(thrown) ? 503 : 500, describeError(thrown));
  });
  return app;
}

/** A length that is told is one that the server holds the sender to: only a body without one has to be counted. */
function limitBody(maxSize: number): MiddlewareHandler<WebEnv> {
  const count = bodyLimit({ maxSize, onError: tooLong });
  return async (c, next) => {
    const told = c.req.header('transfer-encoding') === undefined ? c.req.header('content-length') : undefined;
    if (told === undefined) return await count(c, next);
    return Number(told) > maxSize ? tooLong(c) : await next();
  };
}

function tooLong(c: Context): Response {
  return refuse(c, 413, 'that is too long');
}

function refuseOthers(allowedHosts: ReadonlySet<string>): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    const { req } = c;
    const verdict = judgeRequest(
      {
        method: req.method,
        path: req.path,
        host: req.header('host'),
        origin: req.header('origin'),
        site: req.header('sec-fetch-site'),
        mode: req.header('sec-fetch-mode'),
        contentType: req.header('content-type'),
      },
      allowedHosts,
    );
    return verdict.type === 'refused' ? refuse(c, verdict.status, verdict.reason) : await next();
  };
}

async function logIn(c: Context<WebEnv>, { logins, tries, cookieName }: RoutesDeps): Promise<Response> {
  const source = sourceOf(c);
  if (tries.isShutOut(source)) return refuse(c, 429, 'too many wrong tries; wait ten minutes');
  const { code } = await readBody(c, ['code']);
  const secret = await logins.redeem(code);
  if (secret === undefined) {
    tries.note(source);
    return refuse(c, 401, 'this link was used or is too old; `talaria gateway link` prints a new one');
  }
  // Behind a proxy with TLS it never goes out without.
  const secure = c.req.header('origin')?.startsWith('https:') === true ? '; Secure' : '';
  c.header('set-cookie', `${writeCookie(cookieName, secret, loginLifeMs / 1000)}${secure}`);
  return c.json({ ok: true });
}

async function logOut(c: Context<WebEnv>, { logins, streams, cookieName }: RoutesDeps): Promise<Response> {
  const caller = c.get('caller');
  if (caller.type === 'browser') {
    await logins.end(caller.login);
    streams.end(caller.login);
  }
  c.header('set-cookie', writeCookie(cookieName, '', 0));
  return c.json({ ok: true });
}

/** Not sent along by any other site, not read by any script. */
function writeCookie(name: string, value: string, lifeSeconds: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifeSeconds}`;
}

function requireCaller(deps: RoutesDeps): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    const caller = await findCaller(c, deps);
    if (caller === 'shut-out') return refuse(c, 429, 'too many wrong tries; wait ten minutes');
    if (caller === undefined) return refuse(c, 401, 'log in first: `talaria gateway link` prints a link');
    c.set('caller', caller);
    return await next();
  };
}

async function findCaller(
  c: Context<WebEnv>,
  { logins, tries, cookieName }: RoutesDeps,
): Promise<Caller | 'shut-out' | undefined> {
  const token = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (token !== undefined) {
    const source = sourceOf(c);
    if (tries.isShutOut(source)) return 'shut-out';
    const caller = logins.ofProgram(token);
    if (caller === undefined) tries.note(source);
    return caller;
  }
  const secret = getCookie(c, cookieName);
  return secret === undefined ? undefined : await logins.ofBrowser(secret);
}

/** The address at the other end of the connection; what a header says about it is nobody's word. */
function sourceOf(c: Context<WebEnv>): string {
  return c.env.incoming.socket.remoteAddress ?? '';
}

function refuse(c: Context, status: ContentfulStatusCode, error: string): Response {
  return c.json({ error }, status);
}
