import type { Agent } from 'node:http';
import {
  Client,
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import type { AuthProvider, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { McpLogins } from '../../model/mcp-logins.ts';
import type { HttpPlace, McpServerSettings } from '../../model/mcp-settings.ts';
import type { HttpWays } from './http-transport.ts';
import type { Connection, RemoteCall, RemoteResult, RemoteTool } from './connection.ts';
import { expandVariables } from './expand-variables.ts';
import { howToLogIn, LoginNeeded } from './login-needed.ts';

export interface ConnectDeps {
  readonly log: Log;
  /** What a server's process sees besides its own settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that servers are started in. */
  readonly folder: string;
  readonly secret: (name: string) => string | undefined;
  /** What a variable that nobody knows is not: `set, in …`. */
  readonly secretsAre: string;
  /** The way to an address, through the proxies and certificates of this machine. Throws where it is no address. */
  readonly openAgent: (url: string) => Agent;
  /** The logins that are kept for servers that ask for one. */
  readonly logins: McpLogins;
  readonly clock: Pick<Clock, 'now'>;
  /** In place of the login that is kept. */
  readonly login?: AuthProvider;
  /** Told when the server has other tools than before. */
  readonly onTools: (tools: readonly RemoteTool[]) => void;
}

const pingMs = 30_000;
const farewellMs = 2000;
const longestCallMs = 3_600_000;

/** A line to a server, with its tools. Throws an error that says in words what is wrong. */
export async function connectServer(
  name: string,
  settings: McpServerSettings,
  deps: ConnectDeps,
  signal: AbortSignal,
): Promise<Connection> {
  const line = await openLine(name, settings, deps);
  const client = createClient(name, deps);
  const gone = Promise.withResolvers<void>();
  Object.assign(client, { onclose: () => gone.resolve() });
  const options = { timeout: settings.connectMs, maxTotalTimeout: settings.connectMs, signal };
  try {
    await client.connect(line.transport, options);
    const hasTools = client.getServerCapabilities()?.tools !== undefined;
    const { tools } = hasTools ? await client.listTools(undefined, options) : { tools: [] };
    return createConnection(name, client, line, {
      tools: tools.map(describeTool),
      closed: gone.promise.then(line.whyClosed),
    });
  } catch (thrown) {
    await line.close(client);
    if (isLockedOut(thrown)) throw toLoginNeeded(name, thrown);
    const why = await line.explain(thrown);
    throw new Error(why, { cause: thrown });
  }
}

function createClient(name: string, { log, onTools }: ConnectDeps): Client {
  const client = new Client(
    { name: 'talaria', version: '1' },
    {
      // What a server says of its own results is its own business, and a compiler for schemas takes long to load.
      jsonSchemaValidator: { getValidator: () => acceptAnything },
      listChanged: {
        tools: {
          onChanged: (error, tools) => {
            if (tools !== null) onTools(tools.map(describeTool));
            else log.write('warn', `the MCP server ${name} did not list its new tools: ${error?.message}`);
          },
        },
      },
    },
  );
  const onerror = (error: Error): void => log.write('debug', `the MCP server ${name}: ${describeError(error)}`);
  return Object.assign(client, { onerror });
}

function acceptAnything(value: unknown): { valid: true; data: never; errorMessage: undefined } {
  return { valid: true, data: value as never, errorMessage: undefined };
}

/** The way to a server, and what is peculiar to it. */
interface Line {
  readonly transport: Parameters<Client['connect']>[0];
  readonly whyClosed: () => Promise<string>;
  readonly explain: (thrown: unknown) => Promise<string>;
  readonly close: (client: Client) => Promise<void>;
}

async function openLine(name: string, { place }: McpServerSettings, deps: ConnectDeps): Promise<Line> {
  switch (place.type) {
    case 'nowhere':
      throw new Error('it has neither a command nor a url');
    case 'stdio': {
      const { StdioTransport } = await import('./stdio-transport.ts');
      const { Complaints } = await import('./complaints.ts');
      const complaints = new Complaints(name, deps.log);
      const env = { ...deps.environment, ...fillIn(place.env, deps) };
      const command = { command: place.command, args: place.args, env, cwd: place.cwd ?? deps.folder };
      const transport = new StdioTransport(command, (chunk) => complaints.take(chunk));
      const whyClosed = async (): Promise<string> => {
        const why = await transport.whyEnded();
        return complaints.last === '' ? why : `${why}: ${complaints.last}`;
      };
      const explain = async (thrown: unknown): Promise<string> =>
        isCode(thrown, SdkErrorCode.ConnectionClosed) ? await whyClosed() : describeFailure(thrown);
      return { transport, whyClosed, explain, close: (client) => closeClient(client, transport) };
    }
    case 'http':
      return await openHttpLine(name, place, deps);
  }
}

async function openHttpLine(name: string, place: HttpPlace, deps: ConnectDeps): Promise<Line> {
  const { openHttp, openWays } = await import('./http-transport.ts');
  const { address, headers } = locate(place, deps);
  const ways = openWays(address, headers, deps.openAgent);
  const login = deps.login ?? (await keptLogin(name, place, { ...deps, address, fetch: ways.fetch }));
  const transport = openHttp(address, ways, login);
  return {
    transport,
    whyClosed: () => Promise.resolve('the connection was closed'),
    explain: (thrown) => Promise.resolve(describeFailure(thrown)),
    async close(client) {
      await leaveHttp(client, transport);
      ways[Symbol.dispose]();
    },
  };
}

/** Where a server is, and what is sent there, with everything filled in. Throws where it is no address. */
export function locate(
  place: Pick<HttpPlace, 'url' | 'headers'>,
  deps: SecretDeps,
): { readonly address: URL; readonly headers: Readonly<Record<string, string>> } {
  const { url } = fillIn({ url: place.url }, deps);
  return { address: new URL(url ?? ''), headers: fillIn(place.headers, deps) };
}

/** None where the settings bring a login of their own. */
async function keptLogin(
  name: string,
  place: HttpPlace,
  deps: Pick<ConnectDeps, 'logins' | 'secret' | 'clock'> & { readonly address: URL; readonly fetch: HttpWays['fetch'] },
): Promise<AuthProvider | undefined> {
  if (Object.keys(place.headers).some((header) => header.toLowerCase() === 'authorization')) return undefined;
  const { KeptLogin } = await import('./oauth/kept-login.ts');
  return new KeptLogin(name, { ...place, url: deps.address.href }, deps);
}

type SecretDeps = Pick<ConnectDeps, 'secret' | 'secretsAre'>;

function fillIn(values: Readonly<Record<string, string>>, deps: SecretDeps): Readonly<Record<string, string>> {
  const expanded = expandVariables(values, deps.secret);
  if (expanded.type === 'whole') return expanded.values;
  throw new Error(`${expanded.names.join(', ')} ${expanded.names.length === 1 ? 'is' : 'are'} not ${deps.secretsAre}`);
}

/** A client that never came to be connected does not close its transport. */
async function closeClient(client: Client, transport: Line['transport']): Promise<void> {
  await client.close();
  await transport.close();
}

async function leaveHttp(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  const late = AbortSignal.timeout(farewellMs);
  const over = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
  // A server that cannot be told forgets us by itself.
  await Promise.race([transport.terminateSession().catch(() => undefined), over]);
  await closeClient(client, transport);
}

function createConnection(
  name: string,
  client: Client,
  line: Line,
  known: Pick<Connection, 'tools' | 'closed'>,
): Connection {
  return {
    ...known,
    call: (call) => callTool(name, client, call),
    async ping() {
      try {
        await client.ping({ timeout: pingMs });
        return true;
      } catch (thrown) {
        // One that does not know the question has answered all the same.
        return thrown instanceof ProtocolError;
      }
    },
    close: () => line.close(client),
  };
}

async function callTool(name: string, client: Client, call: RemoteCall): Promise<RemoteResult> {
  try {
    const result = await client.callTool(
      { name: call.tool, arguments: call.input },
      {
        signal: call.signal,
        timeout: call.timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: longestCallMs,
        onprogress: ({ message, progress, total }) =>
          call.onProgress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)),
      },
    );
    return {
      type: 'answered',
      isError: result.isError === true,
      content: (result.content ?? []) as unknown as readonly JsonObject[],
      structured: result.structuredContent as JsonObject | undefined,
    };
  } catch (thrown) {
    call.signal.throwIfAborted();
    return explainFailure(name, thrown);
  }
}

function explainFailure(name: string, thrown: unknown): RemoteResult {
  if (isLockedOut(thrown)) return { type: 'locked-out', why: toLoginNeeded(name, thrown) };
  if (thrown instanceof InsufficientScopeError) return { type: 'not-allowed', message: describeScope(name, thrown) };
  if (thrown instanceof ProtocolError) return { type: 'refused', message: thrown.message };
  if (isCode(thrown, SdkErrorCode.RequestTimeout)) return { type: 'timed-out' };
  if (thrown instanceof SdkHttpError && thrown.status === 404) return { type: 'forgotten' };
  return { type: 'lost', message: describeFailure(thrown) };
}

/** A renewed login that is refused as well is one that a person has to look at. */
function isLockedOut(thrown: unknown): boolean {
  return thrown instanceof LoginNeeded || isCode(thrown, SdkErrorCode.ClientHttpAuthentication);
}

function toLoginNeeded(name: string, thrown: unknown): LoginNeeded {
  return thrown instanceof LoginNeeded ? thrown : new LoginNeeded(name, undefined, { cause: thrown });
}

function describeScope(name: string, { requiredScope }: InsufficientScopeError): string {
  // It comes from the server, and is shown as a command.
  const isScope = requiredScope !== undefined && /^[\w.:/ -]{1,200}$/.test(requiredScope);
  const scope = isScope ? ` --scope '${requiredScope}'` : '';
  return `the login does not cover this; a wider one: ${howToLogIn(name)}${scope}`;
}

function isCode(thrown: unknown, code: SdkErrorCode): boolean {
  return thrown instanceof SdkError && thrown.code === code;
}

function describeFailure(thrown: unknown): string {
  if (thrown instanceof SdkHttpError && (thrown.status === 401 || thrown.status === 403)) {
    return `it does not let us in (${thrown.status}) with the \`headers\` of the settings`;
  }
  if (isCode(thrown, SdkErrorCode.ClientHttpUnexpectedContent)) {
    return `what is at this address does not speak MCP: ${describeError(thrown)}`;
  }
  if (isCode(thrown, SdkErrorCode.RequestTimeout)) return 'it did not answer in time';
  const cause = thrown instanceof TypeError && thrown.cause !== undefined ? `: ${describeError(thrown.cause)}` : '';
  return `${describeError(thrown)}${cause}`;
}

function describeTool({ name, description, inputSchema, annotations }: Tool): RemoteTool {
  const isReadOnly = annotations?.readOnlyHint === true;
  const hints = isReadOnly ? 'read-only' : annotations?.idempotentHint === true ? 'idempotent' : 'none';
  return { name, description: description ?? '', inputSchema: inputSchema as unknown as JsonObject, hints };
}
