import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { createLog } from '../base/log.ts';
import { createGrowingRedactor } from '../base/redact.ts';
import type { McpDesk, McpTest } from '../cli/mcp/mcp-desk.ts';
import { mcpServersSchema } from '../model/mcp-schema.ts';
import { doubtsAboutServers, mcpServers } from '../model/mcp-settings.ts';
import type { McpServerSettings } from '../model/mcp-settings.ts';
import { describeProblems } from '../model/schema.ts';
import { nameTaken } from '../model/toolsets.ts';
import { loadSecrets } from '../store/home/env-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import { LiveSettings } from '../store/home/live-settings.ts';
import { createLogFile } from '../store/home/log-file.ts';
import { FileMcpLogins } from '../store/home/mcp-logins.ts';
import { TrustedFolders } from '../store/home/trusted-folders.ts';
import { FileProjectServers } from '../store/project/project-servers.ts';
import type { ConnectDeps } from '../tools/mcp/connect-server.ts';
import { expandVariables } from '../tools/mcp/expand-variables.ts';
import { LoginNeeded } from '../tools/mcp/login-needed.ts';
import { findIgnored } from './trust-note.ts';
import { connectDeps, forProject } from './tool-servers.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Where the servers of the project around it are meant, too. */
  readonly folder?: string | undefined;
}

/** The MCP servers of the settings, without opening the store: a program that runs takes up what is changed here. */
export async function openMcpDesk({ env, clock, folder }: Around): Promise<McpDesk> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const settings = await LiveSettings.open(home);
  const { config, warnings, path } = settings.current;
  const logins = new FileMcpLogins(home.mcpLogins);
  const redact = createGrowingRedactor(() => [...secrets.values(), ...logins.secrets()]);
  const log = createLog(createLogFile(home.logs), () => clock.now(), redact);
  const deps = { ...(await connectDeps({ env, secrets, logins, clock, log })), clock };
  const project = new FileProjectServers(new TrustedFolders(home.trustFile)).at(folder ?? home.path);
  const ofProject = folder !== undefined && project.type === 'trusted' ? project : undefined;
  const servers = { ...ofProject?.servers, ...config.mcpServers };
  const depsFor = (name: string): typeof deps =>
    ofProject === undefined || config.mcpServers[name] !== undefined
      ? deps
      : { ...deps, ...forProject(deps.environment, ofProject.folder) };
  return {
    servers,
    projectOf: (name) => (config.mcpServers[name] === undefined ? ofProject?.folder : undefined),
    ignored: folder === undefined ? undefined : findIgnored(project),
    path,
    warnings: [...secrets.warnings, ...warnings],
    problemOf,
    async test(name, entry) {
      const server = entry === undefined ? servers[name] : readEntry(name, entry);
      if (server === undefined) return { type: 'failed', problem: 'it is not in the settings' };
      const taken = nameTaken(name);
      if (taken !== undefined) return { type: 'failed', problem: `it is not used: ${taken}` };
      return await testServer(name, server, depsFor(name));
    },
    async write(name, entry) {
      // A login is for one server, and for whatever is at its address: not for the next of that name.
      if (entry === undefined) await logins.remove(name);
      return await settings.change([{ path: ['mcp_servers'], values: { [name]: entry } }]);
    },
    loginAt: (name) => findLogin(name, servers[name], depsFor(name)),
    async logIn(name, wishes) {
      const server = servers[name];
      if (server === undefined) return { type: 'failed', problem: 'it is not in the settings' };
      const { logInAt } = await import('../tools/mcp/oauth/log-in-at.ts');
      return await logInAt(name, server, wishes, depsFor(name));
    },
    logOut: (name) => logins.remove(name),
  };
}

function findLogin(
  name: string,
  server: McpServerSettings | undefined,
  { logins, secret }: Pick<ConnectDeps, 'logins' | 'secret'>,
): ReturnType<McpDesk['loginAt']> {
  if (server?.place.type !== 'http') return 'none';
  const expanded = expandVariables({ url: server.place.url }, secret);
  const address = expanded.type === 'whole' ? URL.parse(expanded.values['url'] ?? '') : null;
  const login = address === null ? undefined : logins.read(name, address.href);
  if (login === undefined) return 'none';
  return login.type === 'held' ? 'held' : 'needed';
}

function problemOf(name: string, entry: JsonObject): string | undefined {
  const parsed = mcpServersSchema.parse({ [name]: entry });
  const problems = parsed.type === 'invalid' ? parsed.problems : doubtsAboutServers(parsed.value);
  return problems.length === 0 ? undefined : describeProblems(problems.map(({ message }) => ({ path: [], message })));
}

function readEntry(name: string, entry: JsonObject): McpServerSettings | undefined {
  const parsed = mcpServersSchema.parse({ [name]: entry });
  return parsed.type === 'valid' ? mcpServers(parsed.value)[name] : undefined;
}

async function testServer(
  name: string,
  server: McpServerSettings,
  deps: Omit<ConnectDeps, 'onTools'>,
): Promise<McpTest> {
  const { connectServer } = await import('../tools/mcp/connect-server.ts');
  try {
    const asked = new AbortController();
    const connection = await connectServer(name, server, { ...deps, onTools: () => undefined }, asked.signal);
    await connection.close();
    return { type: 'connected', tools: connection.tools };
  } catch (thrown) {
    const isLockedOut = thrown instanceof LoginNeeded;
    return { type: isLockedOut ? 'needs-login' : 'failed', problem: describeError(thrown) };
  }
}
