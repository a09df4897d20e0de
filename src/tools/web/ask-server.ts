import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { isIP } from 'node:net';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { BarredHost, checkHost, guardLookup } from './guarded-lookup.ts';
import type { Resolve } from './guarded-lookup.ts';
import { portOf } from './judge-url.ts';
import { exceptionsAt, withoutBrackets } from './private-exceptions.ts';
import type { PrivateException } from './private-exceptions.ts';

/** The way to a server, through the proxies and certificates of this machine. Disposing of it closes its connections. */
export interface Way extends Disposable {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
  /** Whether a proxy may be in between, which then looks the name up by itself. */
  readonly type: 'direct' | 'proxied';
}

export interface WebNetwork {
  readonly openWay: (url: URL) => Promise<Way>;
  readonly resolve: Resolve;
}

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out: a GET. */
  readonly body?: string;
}

export type WebAnswer =
  | { readonly type: 'answered'; readonly message: IncomingMessage }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'barred'; readonly reason: string };

/** Sends one request, by a connection that reaches nothing but allowed addresses. Nothing is followed. */
export async function askServer(
  { url, headers, body }: WebRequest,
  way: Way,
  guard: { readonly resolve: Resolve; readonly exceptions: readonly PrivateException[] },
  signal: AbortSignal,
): Promise<WebAnswer> {
  const exceptions = exceptionsAt(guard.exceptions, portOf(url));
  const barrier = way.type === 'proxied' ? await findBarrier(url, guard.resolve, exceptions) : undefined;
  if (barrier !== undefined) return { type: 'barred', reason: barrier };
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<WebAnswer>();
  const request = way.request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, br, zstd', ...headers },
    // For hosts that are past the proxy it counts as well.
    lookup: guardLookup(guard.resolve, exceptions),
    signal,
  });
  request.once('response', (message) => resolve({ type: 'answered', message }));
  request.on('error', (thrown) => resolve(explain(thrown, url)));
  request.end(body);
  return await promise;
}

const userAgent = 'Talaria (a personal AI agent that reads for its owner)';

/** A proxy looks names up where we cannot see it. What this machine knows of a name counts all the same. */
async function findBarrier(
  url: URL,
  resolve: Resolve,
  exceptions: readonly PrivateException[],
): Promise<string | undefined> {
  if (isIP(withoutBrackets(url.hostname)) !== 0) return undefined;
  try {
    await checkHost(url.hostname, resolve, exceptions);
    return undefined;
  } catch (thrown) {
    // A name that is known to the proxy alone.
    return thrown instanceof BarredHost ? thrown.message : undefined;
  }
}

function explain(thrown: unknown, { host }: URL): WebAnswer {
  const barrier = findBarred(thrown);
  if (barrier !== undefined) return { type: 'barred', reason: barrier.message };
  const code = systemErrorCode(thrown) ?? describeError(thrown);
  if (code.startsWith('HPE_')) return { type: 'failed', reason: `${host} does not speak HTTP (${code})` };
  return { type: 'failed', reason: `cannot reach ${host} (${code})` };
}

function findBarred(thrown: unknown): BarredHost | undefined {
  if (thrown instanceof BarredHost) return thrown;
  return thrown instanceof Error && thrown.cause !== undefined ? findBarred(thrown.cause) : undefined;
}
