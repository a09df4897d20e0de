import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { McpLogins } from '../model/mcp-logins.ts';
import type { McpServers as ServerSettings } from '../model/mcp-settings.ts';
import type { ProjectServersSource } from '../model/project-servers.ts';
import type { Settings } from '../model/settings.ts';
import type { ToolServers } from '../model/tool-servers.ts';
import type { Secrets } from '../store/home/env-file.ts';
import type { ConnectDeps } from '../tools/mcp/connect-server.ts';
import { ProjectToolServers } from './project-tool-servers.ts';
import { LoginNews } from '../tools/mcp/login-news.ts';
import type { McpServers, McpServersDeps } from '../tools/mcp/mcp-servers.ts';
import type { ToolRegistry } from '../tools/registry.ts';

export interface ToolServerParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: { readonly files: string };
  readonly logins: McpLogins;
  readonly secrets: Pick<Secrets, 'get'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly projects: ProjectServersSource;
  readonly toolbox: Pick<ToolRegistry, 'tools' | 'put'>;
  /** Takes our own keys out of what tools say. */
  readonly redact: (text: string) => string;
  readonly start: 'usual' | 'safe';
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The MCP servers of the settings, and of trusted projects. Nothing of them is loaded before one is named there; a safe start
 * has none.
 */
export function createToolServers(parts: ToolServerParts): ToolServers & AsyncDisposable {
  let opened: Promise<McpServers> | undefined;
  const isSafe = parts.start === 'safe';
  const wished = (): ServerSettings => (isSafe ? {} : parts.settings.current.config.mcpServers);
  const open = async (): Promise<McpServers | undefined> => {
    if (opened === undefined && Object.keys(wished()).length === 0) return undefined;
    opened ??= connectDeps(parts).then((deps) => openServers(parts, { registry: parts.toolbox, wished }, deps));
    return await opened;
  };
  const projects = openProjects(parts);
  const news = new LoginNews();
  parts.toolbox.put('mcp-logins', {
    tools: [],
    unheardNews: (sessionId) => news.unheardNews(sessionId),
    onNews: (listener) => news.onNews(listener),
  });
  return {
    async prepare({ sessionId, workdir }) {
      const servers = await open();
      const [, ofProject] = await Promise.all([servers?.prepare(), isSafe ? [] : projects.prepare(workdir)]);
      news.note(sessionId, [...(servers?.awaitedLogins() ?? []), ...ofProject]);
    },
    async reload() {
      const [ofSettings] = await Promise.all([open().then((servers) => servers?.reload()), projects.reload()]);
      return [...(ofSettings ?? []), ...projects.report()];
    },
    report: async () => [...((await opened)?.report() ?? []), ...projects.report()],
    projectTools: (workdir) => (isSafe ? undefined : projects.tools(workdir)),
    async [Symbol.asyncDispose]() {
      await Promise.all([(await opened)?.[Symbol.asyncDispose](), projects[Symbol.asyncDispose]()]);
    },
  };
}

function openProjects(parts: ToolServerParts): ProjectToolServers {
  return new ProjectToolServers({
    ...parts,
    taken: () => parts.settings.current.config.mcpServers,
    async open(folder, around) {
      const deps = await connectDeps(parts);
      return await openServers(parts, around, { ...deps, ...forProject(deps.environment, folder) });
    },
  });
}

/** A project is given what every program sees, and nothing that we log in with, however it asks for it. */
export function forProject(
  environment: ConnectDeps['environment'],
  folder: string,
): Pick<ConnectDeps, 'folder' | 'secret' | 'secretsAre'> {
  const secret = (name: string): string | undefined => environment[name];
  return { folder, secret, secretsAre: 'set for a project, which sees PATH, HOME and the like and no secret' };
}

async function openServers(
  { home, logins, clock, log }: ToolServerParts,
  around: Pick<McpServersDeps, 'registry' | 'wished'>,
  deps: Omit<ConnectDeps, 'onTools'>,
): Promise<McpServers> {
  const { McpServers: Servers } = await import('../tools/mcp/mcp-servers.ts');
  return new Servers({
    ...around,
    connect: async (name, settings, onTools, signal) => {
      const { connectServer } = await import('../tools/mcp/connect-server.ts');
      return await connectServer(name, settings, { ...deps, onTools }, signal);
    },
    loginStamp: (name) => logins.stamp(name),
    folderOf: (sessionId) => join(home.files, sessionId),
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
    secretsAre: 'set, in .env beside the settings or in the environment',
    openAgent: (url) => openAgent(url, secret),
    logins,
    clock,
  };
}
