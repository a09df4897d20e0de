import type { Clock } from '../../base/clock.ts';
import { stableJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { mcpServerName } from '../../model/mcp-settings.ts';
import type { McpServers as ServerSettings, McpServerSettings } from '../../model/mcp-settings.ts';
import type { Tool } from '../../model/tool.ts';
import { nameTaken } from '../../model/toolsets.ts';
import type { ToolServerReport } from '../../model/tool-servers.ts';
import type { ToolGroup } from '../registry.ts';
import type { Connection, RemoteTool } from './connection.ts';
import type { AwaitedLogin } from './login-news.ts';
import { McpServer } from './mcp-server.ts';
import { createMcpTool } from './mcp-tool.ts';
import { nameTools } from './tool-names.ts';

export interface McpServersDeps {
  readonly registry: { put(name: string, group: ToolGroup): void };
  /** As they are now; another object where they may have changed. */
  readonly wished: () => ServerSettings;
  readonly connect: (
    name: string,
    settings: McpServerSettings,
    onTools: (tools: readonly RemoteTool[]) => void,
    signal: AbortSignal,
  ) => Promise<Connection>;
  /** Differs whenever the login at a server has changed. */
  readonly loginStamp: (name: string) => string;
  /** Where a session keeps files that its tools can read and send. */
  readonly folderOf: (sessionId: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Wave {
  readonly over: Promise<void>;
}

/** How long a message waits for servers that have not been tried yet. */
const longestWaitMs = 10_000;
const groupName = 'mcp';

/**
 * The MCP servers of the settings, and their tools in the registry. The list of tools changes in one step where several
 * servers come at once, and not at all where it would come to the same: each change makes every conversation be read anew.
 */
export class McpServers implements AsyncDisposable {
  readonly #deps: McpServersDeps;
  readonly #servers = new Map<string, McpServer>();
  readonly #leaving = new Set<Promise<void>>();
  #wished: ServerSettings | undefined;
  #wave: Wave | undefined;
  #published: string | undefined;

  constructor(deps: McpServersDeps) {
    this.#deps = deps;
  }

  /** Takes over what changed in the settings, and waits for servers that are tried for the first time, or with a new login. */
  async prepare(): Promise<void> {
    const wished = this.#deps.wished();
    if (wished !== this.#wished) {
      this.#wished = wished;
      this.#reconcile(wished);
    }
    const returning = [...this.#servers.values()].filter((server) => server.retryIfLoggedIn());
    if (returning.length > 0) this.#beginWave(returning);
    // One that is overtaken by another ends without a change.
    while (this.#wave !== undefined) await this.#wave.over;
  }

  /** Ends them all, and connects to what the settings name now. */
  async reload(): Promise<readonly ToolServerReport[]> {
    for (const name of this.#servers.keys()) void this.#remove(name);
    await Promise.all(this.#leaving);
    this.#wished = undefined;
    await this.prepare();
    return this.report();
  }

  /** The servers that let nobody in who has not logged in. */
  awaitedLogins(): readonly AwaitedLogin[] {
    return [...this.#servers.values()].flatMap(({ name, awaitedLogin: login }) =>
      login === undefined ? [] : [{ server: name, login }],
    );
  }

  report(): readonly ToolServerReport[] {
    return Object.keys(this.#deps.wished()).map((name) => {
      return { name, state: this.#servers.get(name)?.state ?? { type: 'off' } };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#servers.keys()) void this.#remove(name);
    await Promise.all(this.#leaving);
  }

  /** Starts what is new or other than before, and ends what is no longer wished for. */
  #reconcile(wished: ServerSettings): void {
    const usable = Object.entries(wished).filter(([name, settings]) => this.#isUsable(name, settings));
    const kept = new Set(usable.filter(([name, settings]) => this.#isSame(name, settings)).map(([name]) => name));
    const gone = [...this.#servers.keys()].filter((name) => !kept.has(name));
    const fresh = usable.filter(([name]) => !kept.has(name));
    const farewells = new Map(gone.map((name) => [name, this.#remove(name)]));
    const started = fresh.map(([name, settings]) => this.#start(name, settings, farewells.get(name)));
    for (const server of started) this.#servers.set(server.name, server);
    if (gone.length + started.length > 0) this.#beginWave(started);
  }

  #isUsable(name: string, { isEnabled, place }: McpServerSettings): boolean {
    if (!isEnabled || place.type === 'nowhere' || !mcpServerName.test(name)) return false;
    const taken = nameTaken(name);
    if (taken === undefined) return true;
    this.#deps.log.write('warn', `the MCP server ${name} is not used: ${taken}`);
    return false;
  }

  #isSame(name: string, settings: McpServerSettings): boolean {
    const known = this.#servers.get(name)?.settings;
    return known !== undefined && JSON.stringify(known) === JSON.stringify(settings);
  }

  #start(name: string, settings: McpServerSettings, farewell: Promise<void> | undefined): McpServer {
    const { connect, loginStamp, clock, log } = this.#deps;
    return new McpServer(name, settings, {
      connect: async (onTools, signal) => {
        // The old process is gone before there is a new one.
        await farewell;
        return await connect(name, settings, onTools, signal);
      },
      clock,
      log,
      loginStamp: () => loginStamp(name),
      onChange: () => {
        if (this.#wave === undefined && this.#servers.has(name)) this.#publish();
      },
    });
  }

  #remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    if (server === undefined) return Promise.resolve();
    const left = server[Symbol.asyncDispose]().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    return left;
  }

  /** Waits for the first try of these servers, within a bound, and then makes one change of what came. */
  #beginWave(started: readonly McpServer[]): void {
    const wave: Wave = { over: this.#waitFor(started).then(() => this.#endWave(wave)) };
    this.#wave = wave;
  }

  async #waitFor(started: readonly McpServer[]): Promise<void> {
    const over = new AbortController();
    const tries = Promise.all(started.map((server) => server.whenTried()));
    const late = this.#deps.clock.sleep(longestWaitMs, over.signal).catch(() => undefined);
    await Promise.race([tries, late]);
    over.abort();
  }

  #endWave(wave: Wave): void {
    if (this.#wave !== wave) return;
    this.#wave = undefined;
    // Tools of a server that was replaced look the same and lead nowhere.
    this.#published = undefined;
    this.#publish();
  }

  #publish(): void {
    const tools = this.#listTools();
    const digest = stableJson(tools.map(describe));
    if (digest === this.#published) return;
    this.#published = digest;
    this.#deps.registry.put(groupName, { tools });
  }

  #listTools(): readonly Tool[] {
    const servers = [...this.#servers.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
    const items = servers.flatMap((server) =>
      server.tools
        .filter(({ name }) => isWanted(name, server.settings))
        .map((remote) => ({ server: server.name, tool: remote.name, remote, from: server })),
    );
    return [...nameTools(items)].map(
      ([name, { remote, from }]) => createMcpTool(name, remote, from, this.#deps) as Tool,
    );
  }
}

function isWanted(tool: string, { include, exclude }: McpServerSettings): boolean {
  return include === undefined ? !exclude.includes(tool) : include.includes(tool);
}

/** What of a tool a conversation or its judgement depends on. */
function describe({ name, toolset, description, effect, input }: Tool): Json {
  return [name, toolset, description, effect, input.json];
}
