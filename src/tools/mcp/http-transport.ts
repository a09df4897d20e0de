import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import { describeBytes } from '../../base/describe-bytes.ts';
import { guardLookup } from '../web/guarded-lookup.ts';
import type { Resolve } from '../web/guarded-lookup.ts';
import { judgeUrl } from '../web/judge-url.ts';

const largestAnswer = 32 * 1024 * 1024;

/** Speaks with a server over HTTP, as whoever the given one logs in as. */
export function openHttp(
  url: URL,
  { fetch }: HttpWays,
  login: AuthProvider | undefined,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(url, {
    redirectPolicy: 'same-origin',
    fetch,
    ...(login && { authProvider: login }),
  });
}

/** The ways to a server and to those that it refers to. */
export interface HttpWays extends Disposable {
  readonly fetch: FetchLike;
}

/**
 * What the library needs of a fetch. Headers of the settings go to the server's own origin alone, one on the public internet
 * cannot refer us to what is not, no redirect is followed, and an answer has an end. (The built-in one gives up an answer that
 * is silent for five minutes.)
 */
export function openWays(
  server: URL,
  headers: Readonly<Record<string, string>>,
  openAgent: (url: string) => Agent,
): HttpWays {
  const agents = new Map<string, Agent>();
  const agentFor = ({ origin, href }: URL): Agent => {
    const agent = agents.get(origin) ?? openAgent(href);
    agents.set(origin, agent);
    return agent;
  };
  // At once, so that an address that is none is noticed before anything begins.
  agentFor(server);
  return {
    async fetch(target, init = {}) {
      const url = new URL(target);
      const given = Object.fromEntries(new Headers(init.headers));
      if (url.origin !== server.origin) {
        return await send(url, init, { agent: agentFor(url), headers: given, ...guardReferral(url, server) });
      }
      return await send(url, init, {
        agent: agentFor(url),
        headers: { ...Object.fromEntries(new Headers(headers)), ...given },
      });
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Who is in a private network themselves may refer to others there. Throws where a stranger does. */
function guardReferral(url: URL, server: URL): Pick<RequestOptions, 'lookup'> {
  if (!isPublic(server)) return {};
  if (!isPublic(url)) throw new Error(`the server refers to ${url.origin}, which is not on the public internet`);
  return { lookup: guardLookup(resolveName, []) };
}

/** As far as its name says; what that stands for is checked when the connection is made. */
function isPublic({ hostname }: URL): boolean {
  return judgeUrl(`https://${hostname}`, []).type === 'fit';
}

const resolveName: Resolve = (name) => process.getBuiltinModule('node:dns').promises.lookup(name, { all: true });

function send(url: URL, init: RequestInit, options: RequestOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const method = init.method ?? 'GET';
    const request = openRequest(url, { ...options, method, ...(init.signal ? { signal: init.signal } : {}) });
    request.once('error', reject);
    // What stands open all the time to bring news may bring any number of them.
    request.once('response', (answer) => resolve(toResponse(answer, method === 'GET' ? Infinity : largestAnswer)));
    request.end(readBody(init.body));
  });
}

function readBody(body: RequestInit['body']): string | undefined {
  if (typeof body === 'string') return body;
  return body instanceof URLSearchParams ? body.toString() : undefined;
}

function openRequest(url: URL, options: RequestOptions): ClientRequest {
  const client = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return client.request(url, options);
}

const withoutBody: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

function toResponse(answer: IncomingMessage, limit: number): Response {
  const status = answer.statusCode ?? 500;
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  if (withoutBody.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const bounded = answer.pipe(createBound(limit));
  answer.once('error', (error) => bounded.destroy(error));
  bounded.once('close', () => answer.destroy());
  return new Response(Readable.toWeb(bounded) as ReadableStream<Uint8Array>, {
    status,
    headers,
    ...(answer.statusMessage === undefined ? {} : { statusText: answer.statusMessage }),
  });
}

function createBound(limit: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(new Error(`the answer is longer than ${describeBytes(limit)}`));
      else done(null, chunk);
    },
  });
}
