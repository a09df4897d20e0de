/**
 * Our client as the official conformance runner starts it, with the address of its server as the last argument: it connects,
 * calls every tool that is listed once, and leaves. Where it is asked to log in, it does, in a browser that agrees to everything.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { parseJson } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import { mcpServers } from '../../src/model/mcp-settings.ts';
import { connectDeps } from '../../src/app/tool-servers.ts';
import { FileMcpLogins } from '../../src/store/home/mcp-logins.ts';
import { connectServer } from '../../src/tools/mcp/connect-server.ts';
import type { Connection, RemoteResult } from '../../src/tools/mcp/connection.ts';
import { LoginNeeded } from '../../src/tools/mcp/login-needed.ts';
import { logInAt } from '../../src/tools/mcp/oauth/log-in-at.ts';
import { agreeInBrowser } from './agree-in-browser.ts';

const mostLogins = 4;

interface Given {
  readonly client_id?: string;
  readonly client_secret?: string;
}

// What a person would have got from the server beforehand, and put into the settings.
const given = (parseJson(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '') ?? {}) as Given;
const metadataUrl = process.env['MCP_CONFORMANCE_SCENARIO'] === 'auth/basic-cimd' ? wellKnownClient() : undefined;
const clientId = given.client_id ?? metadataUrl;
const oauth = {
  ...(clientId !== undefined && { client_id: clientId }),
  ...(given.client_secret !== undefined && { client_secret_env: 'GIVEN_SECRET' }),
};
const [settings] = Object.values(mcpServers({ scenario: { url: process.argv.at(-1) ?? '', oauth } as never }));
if (settings === undefined) throw new Error('there is no address');
const server = settings;
const deps = {
  ...(await connectDeps({
    env: process.env,
    secrets: { get: (name) => (name === 'GIVEN_SECRET' ? given.client_secret : undefined) },
    logins: new FileMcpLogins(join(process.cwd(), 'logins')),
    clock: systemClock,
    log: silentLog,
  })),
  clock: systemClock,
};
const { signal } = new AbortController();
let logins = 0;

let connection = await connect();
for (const { name } of connection.tools) {
  let result = await call(name);
  while (result.type === 'not-allowed' || result.type === 'locked-out') {
    await logIn(result.type === 'not-allowed' ? /--scope '(.*)'/.exec(result.message)?.[1] : undefined);
    await connection.close();
    connection = await connect();
    result = await call(name);
  }
  process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
}
await connection.close();

async function connect(): Promise<Connection> {
  try {
    return await connectServer('scenario', server, { ...deps, onTools: () => undefined }, signal);
  } catch (thrown) {
    if (!(thrown instanceof LoginNeeded)) throw thrown;
    await logIn(undefined);
    return await connect();
  }
}

async function call(tool: string): Promise<RemoteResult> {
  const input = tool === 'add_numbers' ? { a: 5, b: 3 } : {};
  return await connection.call({ tool, input, timeoutMs: 30_000, onProgress: () => undefined, signal });
}

async function logIn(scope: string | undefined): Promise<void> {
  logins += 1;
  if (logins > mostLogins) throw new Error('it asks for a login again and again');
  const outcome = await logInAt('scenario', server, { scope, person: agreeInBrowser() }, deps);
  if (outcome.type === 'failed') throw new Error(outcome.problem);
}

/** Where the runner expects the description of a client that is known by its address. */
function wellKnownClient(): string {
  return 'https://conformance-test.local/client-metadata.json';
}
