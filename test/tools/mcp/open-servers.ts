import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDeps } from '../../../src/app/tool-servers.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { newId } from '../../../src/base/ids.ts';
import type { CallId, PersonId, TurnId } from '../../../src/base/ids.ts';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { mcpServersSchema } from '../../../src/model/mcp-schema.ts';
import { mcpServers } from '../../../src/model/mcp-settings.ts';
import type { McpServers as ServerSettings } from '../../../src/model/mcp-settings.ts';
import { outcomeToText } from '../../../src/model/message.ts';
import type { ToolOutcome } from '../../../src/model/message.ts';
import { describeProblems } from '../../../src/model/schema.ts';
import type { Tool, ToolContext, ToolPlace } from '../../../src/model/tool.ts';
import { FileMcpLogins } from '../../../src/store/home/mcp-logins.ts';
import { connectServer } from '../../../src/tools/mcp/connect-server.ts';
import { McpServers } from '../../../src/tools/mcp/mcp-servers.ts';
import { ToolRegistry } from '../../../src/tools/registry.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import type { TempFolder } from '../../support/temp-folder.ts';

export interface ServersOptions {
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Where logins are kept, if not in a folder of its own. */
  readonly loginFolder?: string;
}

/** MCP servers as the settings name them, with a registry of their own. */
export async function openServers(
  describe: (folder: string) => JsonObject,
  options: ServersOptions = {},
): Promise<ServerBench> {
  const folder = await makeTempFolder();
  const bench = new ServerBench(folder, options);
  bench.configure(describe(folder.path));
  return bench;
}

/** An entry for the server that tests bring along. */
export function peer(behaviour: string, notes: string, more: JsonObject = {}): JsonObject {
  const program = join(import.meta.dirname, '..', '..', 'support', 'mcp-peer.ts');
  return { command: process.execPath, args: [program, behaviour, notes], ...more };
}

/** An entry for a server from npm that we did not write. */
export function published(name: string, args: readonly string[] = [], more: JsonObject = {}): JsonObject {
  const root = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@modelcontextprotocol');
  return { command: process.execPath, args: [join(root, `server-${name}`, 'dist', 'index.js'), ...args], ...more };
}

export class ServerBench implements AsyncDisposable {
  readonly registry = new ToolRegistry();
  readonly folder: string;
  readonly lines: string[] = [];
  readonly place: ToolPlace;
  readonly logins: FileMcpLogins;
  readonly servers: McpServers;
  readonly #folder: TempFolder;
  #settings: ServerSettings = {};
  readonly #waiting = new Set<() => void>();

  constructor(
    folder: TempFolder,
    { clock = new ManualClock(), environment = {}, secrets = {}, loginFolder }: ServersOptions,
  ) {
    this.#folder = folder;
    this.folder = folder.path;
    this.logins = new FileMcpLogins(loginFolder ?? join(folder.path, 'logins'));
    this.place = { sessionId: newId('session', Date.now()), workdir: folder.path };
    const log = {
      write: (_level: string, message: string) => {
        this.lines.push(message);
        this.#look();
      },
    };
    const env = { PATH: process.env['PATH'], HOME: folder.path, ...environment };
    const { logins } = this;
    const found = connectDeps({ env, secrets: { get: (name) => secrets[name] }, logins, clock, log });
    const { registry } = this;
    this.servers = new McpServers({
      registry: {
        put: (name, group) => {
          registry.put(name, group);
          this.#look();
        },
      },
      wished: () => this.#settings,
      connect: async (name, settings, onTools, signal) =>
        await connectServer(name, settings, { ...(await found), onTools }, signal),
      loginStamp: (name) => logins.stamp(name),
      folderOf: () => join(folder.path, 'kept'),
      clock,
      log,
    });
  }

  configure(servers: JsonObject): void {
    const parsed = mcpServersSchema.parse(servers);
    if (parsed.type === 'invalid') throw new Error(describeProblems(parsed.problems));
    this.#settings = mcpServers(parsed.value);
  }

  tool(name: string): Tool {
    const tool = this.registry.tools.get(name);
    if (tool === undefined) throw new Error(`there is no tool named ${name}`);
    return tool;
  }

  async outcome(name: string, input: Json, more: Partial<ToolContext> = {}): Promise<ToolOutcome> {
    return await this.runTool(this.tool(name), input, more);
  }

  /** For a tool that may be off the list by now. */
  async runTool(tool: Tool, input: Json, more: Partial<ToolContext> = {}): Promise<ToolOutcome> {
    const parsed = tool.input.parse(input);
    if (parsed.type === 'invalid') throw new Error(describeProblems(parsed.problems));
    return await tool.run(parsed.value, {
      ...this.place,
      turnId: 'trn_1' as TurnId,
      callId: 'call_1' as CallId,
      person: 'ann' as PersonId,
      signal: new AbortController().signal,
      idempotencyKey: 'key',
      progress: () => undefined,
      ask: () => Promise.resolve({ type: 'nobody' }),
      keepImage: () => Promise.resolve('nothing is kept here'),
      readBlob: () => Promise.resolve(undefined),
      ...more,
    });
  }

  async run(name: string, input: Json, more: Partial<ToolContext> = {}): Promise<string> {
    return outcomeToText(await this.outcome(name, input, more));
  }

  /** Resolves once this is so; looked at whenever the tools change or something is logged. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  /** The processes that were started so far, in order, as they noted it themselves. */
  async starts(): Promise<readonly number[]> {
    const text = await readFile(join(this.folder, 'starts'), 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  #look(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
