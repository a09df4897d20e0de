import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openServers } from './open-servers.ts';

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

type Handle = (asked: Asked, request: IncomingMessage, response: ServerResponse) => void;

interface Site extends AsyncDisposable {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingMessage['headers'] }[];
}

/** A server over HTTP that answers as a test wishes; what the test leaves alone is answered as it should be. */
async function openSite(handle: Handle = usual): Promise<Site> {
  const seen: Site['seen'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await request.toArray()).join('');
      const asked = body === '' ? { method: request.method ?? '' } : (JSON.parse(body) as Asked);
      seen.push({ method: asked.method, headers: request.headers });
      handle(asked, request, response);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function usual({ id, method, params }: Asked, _request: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' || method === 'DELETE') {
    response.writeHead(405).end();
    return;
  }
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'site', version: '1' },
    },
    'tools/list': { tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'seen' }] },
  };
  answer(response, { jsonrpc: '2.0', id, result: results[method] ?? {} });
}

function answer(response: ServerResponse, message: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message));
}

test('a published server is used over streamable HTTP', async () => {
  await using site = await startPublished();
  await using bench = await openServers(() => ({ all: { url: site.url } }));

  await bench.servers.prepare();

  assert.match(await bench.run('mcp_all_echo', { message: 'over the wire' }), /over the wire/);
});

async function startPublished(): Promise<AsyncDisposable & { readonly url: string }> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const root = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@modelcontextprotocol');
  const program = join(root, 'server-everything', 'dist', 'index.js');
  const child = spawn(process.execPath, [program, 'streamableHttp'], { env: { PORT: String(port) } });
  child.stdout.resume();
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve();
    });
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('headers are sent with every request, with secrets filled in', async () => {
  await using site = await openSite();
  await using bench = await openServers(
    () => ({ site: { url: site.url, headers: { Authorization: 'Bearer ${SITE_TOKEN}' } } }),
    { secrets: { SITE_TOKEN: 'moonlight' } },
  );
  await bench.servers.prepare();

  await bench.run('mcp_site_look', {});

  assert.ok(site.seen.length >= 4);
  assert.ok(site.seen.every(({ headers }) => headers.authorization === 'Bearer moonlight'));
});

test('a redirect to somewhere else is not followed, so that no header gets there', async () => {
  await using elsewhere = await openSite();
  await using site = await openSite((_asked, _request, response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  await using bench = await openServers(() => ({ site: { url: site.url, headers: { 'X-Key': 'moonlight' } } }));

  await bench.servers.prepare();

  assert.equal(bench.servers.report()[0]?.state.type, 'failing');
  assert.deepEqual(elsewhere.seen, []);
});

for (const [what, handle, problem] of [
  [
    'MCP-15 a web page',
    (_asked, _request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    },
    /^what is at this address does not speak MCP: /,
  ],
  [
    'a server that does not like the token of the settings',
    (_asked, _request, response) => {
      response.writeHead(401).end();
    },
    /^it does not let us in \(401\) with the `headers` of the settings$/,
  ],
  [
    'an answer without end',
    (_asked, _request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (response.writable && response.write('x'.repeat(1_000_000)));
        response.once('drain', more);
      };
      more();
    },
    /longer than 32 MB/,
  ],
] as readonly (readonly [string, Handle, RegExp])[]) {
  test(`${what} is told for what it is`, async () => {
    await using site = await openSite(handle);
    await using bench = await openServers(() => ({ site: { url: site.url, headers: { Authorization: 'Bearer x' } } }));

    await bench.servers.prepare();

    const state = bench.servers.report()[0]?.state;
    assert.match(state?.type === 'failing' ? state.problem : '', problem);
  });
}

test('a server that has forgotten the session is introduced to it again, and the call is made once more', async () => {
  let isForgetful = false;
  await using site = await openSite((asked, request, response) => {
    if (asked.method === 'initialize') isForgetful = false;
    if (asked.method === 'tools/call' && isForgetful) response.writeHead(404).end();
    else usual(asked, request, response);
  });
  await using bench = await openServers(() => ({ site: { url: site.url } }));
  await bench.servers.prepare();
  isForgetful = true;

  const text = await bench.run('mcp_site_look', {});

  assert.match(text, /\nseen\n/);
  assert.equal(site.seen.filter(({ method }) => method === 'initialize').length, 2);
});

test('an address that is none is a problem of that server alone', async () => {
  await using bench = await openServers(() => ({ site: { url: 'ftp://127.0.0.1/x' } }));

  await bench.servers.prepare();

  assert.equal(bench.servers.report()[0]?.state.type, 'failing');
});
