import { join } from 'node:path';
import { isAppError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { createRedactor } from '../base/redact.ts';
import type { ChannelFacts, ChatFolder, DoctorDesk, SettingsFacts } from '../cli/doctor/doctor-desk.ts';
import { socketName } from '../gateway/gateway-status.ts';
import { askPeopleDesk } from '../gateway/people-desk.ts';
import { withDefaults } from '../model/config.ts';
import type { Config } from '../model/config.ts';
import type { UserConfig } from '../model/config-schema.ts';
import type { AdmittedPerson } from '../model/health.ts';
import { mcpServersSchema } from '../model/mcp-schema.ts';
import { doubtsAboutServers } from '../model/mcp-settings.ts';
import { findBackendProblem } from '../model/terminal-settings.ts';
import { isLoopbackHost, usualWebPort } from '../model/web-host.ts';
import { lookAtConfig } from '../store/home/config-file.ts';
import type { LoadedConfig } from '../store/home/config-file.ts';
import { lookAtSecrets } from '../store/home/env-file.ts';
import type { Secrets } from '../store/home/env-file.ts';
import { homeAt } from '../store/home/home-folder.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import { inspectHome } from '../store/home/inspect-home.ts';
import { TrustedFolders } from '../store/home/trusted-folders.ts';
import { FileProjectServers } from '../store/project/project-servers.ts';
import { inspectStore } from '../store/sqlite/inspect-store.ts';
import { chatFolder } from './chat-folder.ts';
import type { Around } from './doctor-parts.ts';
import { findIgnored } from './trust-note.ts';
import { viewGateway } from './service-desk.ts';

/** Everything that can be seen without changing anything. The home need not exist, and its settings may be broken. */
export async function openDoctorDesk({ env, clock }: Around): Promise<DoctorDesk> {
  const home = homeAt(env);
  const secrets = lookAtSecrets(home, env);
  const { facts, loaded } = await readSettings(home);
  const parts = { env, clock, home, secrets, loaded };
  const drainFrom = facts.type === 'usable' ? 'settings' : 'guess';
  return {
    program: {
      node: process.versions.node,
      sqlite: process.versions['sqlite'] ?? 'unknown',
      machine: `${process.platform} ${process.arch}`,
    },
    places: { home: home.path, envFile: home.envFile, socket: join(home.state, socketName) },
    settings: facts,
    keyWarnings: secrets.warnings,
    gateway: viewGateway(home, { drainMs: loaded.config.agent.drainMs, drainFrom }),
    home: () => inspectHome(home),
    store: () => inspectStore(home.state),
    model: async () => (await import('./doctor-model.ts')).lookAtModel(parts),
    channels: () => lookAtChannels(loaded.config, secrets, env['HOME'] ?? '/'),
    hands: async () => (await import('./doctor-hands.ts')).lookAtHands(parts),
    consent: async () => (await import('./doctor-hands.ts')).lookAtConsent(parts),
    servers: async () => (await import('./doctor-hands.ts')).lookAtServers(parts),
    ignoredServers: (folder) => findIgnored(new FileProjectServers(new TrustedFolders(home.trustFile)).at(folder)),
    people: () => askForPeople(home),
    redact: createRedactor(secrets.values()),
  };
}

async function readSettings(home: HomeFolder): Promise<{ facts: SettingsFacts; loaded: LoadedConfig }> {
  try {
    const loaded = await lookAtConfig(home);
    const { path, source, warnings } = loaded;
    const [problems, instead] =
      source === 'last-good' ? [warnings.slice(0, -1), warnings.at(-1)] : [withoutRepeats(loaded), undefined];
    return { facts: { type: 'usable', path, source, warnings: problems, instead }, loaded };
  } catch (thrown) {
    if (!isAppError(thrown, 'bad-config')) throw thrown;
    const config = withDefaults({} as UserConfig);
    const loaded = { path: home.configFile, config, user: null, warnings: [], source: 'defaults' } as const;
    return { facts: { type: 'unusable', problems: thrown.message.split('\n') }, loaded };
  }
}

/** Without what is broken by it, and so is said with its place and its cost in another group. */
function withoutRepeats({ warnings, config, user }: LoadedConfig): readonly string[] {
  const servers = mcpServersSchema.parse(isJsonObject(user) ? (user['mcp_servers'] ?? {}) : {});
  const unused = servers.type === 'valid' ? doubtsAboutServers(servers.value).map(({ message }) => message) : [];
  const repeated = [findBackendProblem(config.terminal), ...unused.filter((text) => text.includes(' is not used: '))];
  return warnings.filter((warning) => !repeated.some((text) => text !== undefined && warning.endsWith(`: ${text}`)));
}

async function lookAtChannels({ telegram, web }: Config, secrets: Secrets, userHome: string): Promise<ChannelFacts> {
  const { isEnabled, host, port, isExposed } = web;
  return {
    telegram: {
      tokenName: telegram.tokenEnv,
      token: secrets.placeOf(telegram.tokenEnv),
      allowed: telegram.allow.length,
      folder: folderOf(telegram.workdir, userHome),
    },
    web: {
      isEnabled,
      host,
      port,
      isExposed,
      isLoopback: isLoopbackHost(host),
      isTaken: isEnabled && (await isListening(port ?? usualWebPort)),
      folder: folderOf(web.workdir, userHome),
    },
  };
}

function folderOf(workdir: string | undefined, userHome: string): ChatFolder {
  const path = chatFolder(workdir, userHome);
  return { path, isWholeHome: path === chatFolder(undefined, userHome) };
}

/** Whether anyone on this machine listens at a port. Nobody is spoken to. */
async function isListening(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return await new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1');
    const end = (isThere: boolean): void => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** The gateway answers in lines for people, each of which begins with an id and, behind two spaces, a role. */
async function askForPeople({ state }: HomeFolder): Promise<readonly AdmittedPerson[] | undefined> {
  const answer = await askPeopleDesk(state, { type: 'people' });
  return answer?.text.split('\n').flatMap((line) => {
    const { person, role } = /^(?<person>\S+:\S+) {2}(?<role>owner|guest),/.exec(line)?.groups ?? {};
    return person === undefined || role === undefined ? [] : [{ person, role }];
  });
}
