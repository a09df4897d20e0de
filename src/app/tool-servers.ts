import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { McpLogins } from '../model/mcp-logins.ts';
import type { McpServers as ServerSettings } from '../model/mcp-settings.ts';
import type { Settings } from '../model/settings.ts';
import type { ToolServers } from '../model/tool-servers.ts';
import type { Secrets } from '../store/home/env-file.ts';
import type { ConnectDeps } from '../tools/mcp/connect-server.ts';
import { LoginNews } from '../tools/mcp/login-news.ts';
import type { McpServers } from '../tools/mcp/mcp-servers.ts';
import type { ToolRegistry } from '../tools/registry.ts';

export interface ToolServerParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: { readonly tasks: string };
  readonly logins: McpLogins;
  readonly secrets: Pick<Secrets, 'get'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly toolbox: Pick<ToolRegistry, 'tools' | 'put'>;
  readonly start: 'usual' | 'safe';
  readonly clock: Clock;
  readonly log: Log;
}

/** The MCP servers of the settings. Nothing of them is loaded before one is named there; a safe start has none. */
export function createToolServers(parts: ToolServerParts): ToolServers & AsyncDisposable {
  let opened: Promise<McpServers> | undefined;
  const wished = (): ServerSettings => (parts.start === 'safe' ? {} : parts.settings.current.config.mcpServers);
  const open = async (): Promise<McpServers | undefined> => {
    if (opened === undefined && Object.keys(wished()).length === 0) return undefined;
    opened ??= openServers(parts, wished);
    return await opened;
  };
  const news = new LoginNews();
  parts.toolbox.put('mcp-logins', {
    tools: [],
    unheardNews: (sessionId) => news.unheardNews(sessionId),
    onNews: (listener) => news.onNews(listener),
  });
  return {
    async prepare({ sessionId }) {
      const servers = await open();
      await servers?.prepare();
      news.note(sessionId, servers?.awaitedLogins() ?? []);
    },
    reload: async () => (await (await open())?.reload()) ?? [],
    report: async () => (await opened)?.report() ?? [],
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

async function openServers(parts: ToolServerParts, wished: () => ServerSettings): Promise<McpServers> {
  const { McpServers: Servers } = await import('../tools/mcp/mcp-servers.ts');
  const { toolbox: registry, home, clock, log } = parts;
  const deps = await connectDeps(parts);
  return new Servers({
    registry,
    wished,
    connect: async (name, settings, onTools, signal) => {
      const { connectServer } = await import('../tools/mcp/connect-server.ts');
      return await connectServer(name, settings, { ...deps, onTools }, signal);
    },
    loginStamp: (name) => parts.logins.stamp(name),
    folderOf: (sessionId) => join(home.tasks, sessionId),
    clock,
    log,
  });
}

/** What every server is started with: the usual variables, and none that we log in with. */
export async function connectDeps({
  env,
  secrets,
  logins,
  clock,
  log,
}: Pick<ToolServerParts, 'env' | 'secrets' | 'logins' | 'clock' | 'log'>): Promise<Omit<ConnectDeps, 'onTools'>> {
  const { chooseEnvironment } = await import('../tools/child-environment.ts');
  const { openAgent } = await import('../providers/http-agent.ts');
  const secret = (name: string): string | undefined => secrets.get(name);
  const folders = Object.keys(env).filter((name) => name.startsWith('XDG_'));
  return {
    log,
    environment: chooseEnvironment(env, folders),
    folder: env['HOME'] ?? homedir(),
    secret,
    openAgent: (url) => openAgent(url, secret),
    logins,
    clock,
  };
}
