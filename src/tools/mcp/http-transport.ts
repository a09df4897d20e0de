import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FetchLike } from '@modelcontextprotocol/client';

const largestAnswer = 32 * 1024 * 1024;

/** Speaks with a server over HTTP. Headers go to its own origin alone, and an answer has an end. */
export function openHttp(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    redirectPolicy: 'same-origin',
    fetch: createFetch(agent),
  });
}

/** What the library needs of a fetch. The built-in one gives up an answer that is silent for five minutes. */
function createFetch(agent: Agent): FetchLike {
  return (target, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(target);
      const method = init.method ?? 'GET';
      const request = openRequest(url, {
        method,
        agent,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.signal ? { signal: init.signal } : {}),
      });
      request.once('error', reject);
      // What stands open all the time to bring news may bring any number of them.
      request.once('response', (answer) => resolve(toResponse(answer, method === 'GET' ? Infinity : largestAnswer)));
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
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
      if (size > limit) done(new Error(`the answer is longer than ${limit / 1024 / 1024} MB`));
      else done(null, chunk);
    },
  });
}
