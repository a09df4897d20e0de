import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { describeError } from '../base/errors.ts';
import type {
  ConsentFacts,
  Counted,
  HandFacts,
  ProgramFacts,
  SandboxFacts,
  ServerFacts,
} from '../cli/doctor/doctor-desk.ts';
import type { McpLogin } from '../model/mcp-logins.ts';
import { mcpServerName } from '../model/mcp-settings.ts';
import type { McpPlace, McpServerSettings } from '../model/mcp-settings.ts';
import { loginFile, peekLogin } from '../store/home/mcp-logins.ts';
import { findBackendProblem } from '../model/terminal-settings.ts';
import type { SandboxSettings } from '../model/terminal-settings.ts';
import { FileStandingRules } from '../store/home/standing-rules.ts';
import { TrustedFolders } from '../store/home/trusted-folders.ts';
import { decideSandbox, readSandboxFacts } from '../tools/browser/decide-sandbox.ts';
import { findChromium, installChromium } from '../tools/browser/find-chromium.ts';
import { findRipgrep } from '../tools/files/ripgrep.ts';
import { installCommand } from '../tools/install-command.ts';
import { expandVariables } from '../tools/mcp/expand-variables.ts';
import { openRemoteShell } from '../tools/remote-shell/open-remote-shell.ts';
import { probeSandbox } from '../tools/sandbox/probe-sandbox.ts';
import { findProgram } from '../tools/shell/system-program.ts';
import type { DoctorParts } from './doctor-parts.ts';

/** The programs of this machine that the tools stand on. */
export async function lookAtHands(parts: DoctorParts): Promise<HandFacts> {
  const { env, loaded } = parts;
  const { browser } = loaded.config;
  const path = env['PATH'] ?? '';
  const find = (name: string): ProgramFacts => ({ path: findProgram(name, path), install: installCommand({ name }) });
  const locked = decideSandbox(browser.sandbox, readSandboxFacts());
  return {
    bash: find('bash'),
    git: find('git'),
    ripgrep: { path: await findRipgrep(path), install: installCommand({ name: 'ripgrep' }) },
    chromium: { path: findChromium(path, browser.executable), install: installChromium() },
    openBrowser: locked.type === 'off' ? locked.reason : undefined,
    ...(await lookAtPlace(parts, find)),
  };
}

/** Where commands run, and what keeps them there. */
async function lookAtPlace(
  { env, home, loaded, clock }: DoctorParts,
  find: (name: string) => ProgramFacts,
): Promise<Pick<HandFacts, 'sandbox' | 'elsewhere'>> {
  const { terminal } = loaded.config;
  const folders = { taskFolder: home.tasks, homeFolder: home.path };
  const there = openRemoteShell(terminal, { ...folders, environment: env, clock })?.there;
  if (there === undefined) {
    return { sandbox: await lookAtSandbox(terminal.sandbox, env['PATH'] ?? ''), elsewhere: undefined };
  }
  const name = terminal.backend === 'ssh' ? 'ssh' : terminal.docker.command;
  const elsewhere = { name: there.name, program: { name, ...find(name) }, problem: findBackendProblem(terminal) };
  if (there.isSandbox) return { sandbox: { type: 'ready', by: `${there.name}, without network` }, elsewhere };
  const reason = `nothing keeps commands in on ${there.name}; they are asked about`;
  return { sandbox: { type: 'none', reason, fix: undefined }, elsewhere };
}

async function lookAtSandbox({ mode, network }: SandboxSettings, path: string): Promise<SandboxFacts> {
  if (mode === 'off') return { type: 'none', reason: 'it is switched off (terminal.sandbox)', fix: undefined };
  const report = await probeSandbox(path);
  if (report.type === 'missing') return { type: 'none', reason: report.reason, fix: report.fix };
  const reach = network === 'shared' ? 'the network included' : 'without network';
  return { type: 'ready', by: `bubblewrap ${report.version}, ${reach}, in folders that are no whole home` };
}

/** What is asked about before it is done, and what is not any more. */
export async function lookAtConsent({ home, loaded }: DoctorParts): Promise<ConsentFacts> {
  const { approvals, terminal, mcpServers } = loaded.config;
  return {
    timeoutMs: approvals.timeoutMs,
    rules: count(() => new FileStandingRules(home.rulesFile).list()),
    trustedFolders: count(() => new TrustedFolders(home.trustFile).list()),
    trustedServers: Object.entries(mcpServers).flatMap(([name, { trust }]) => (trust.length === 0 ? [] : [name])),
    passedVariables: terminal.envPassthrough,
  };
}

function count(list: () => readonly unknown[]): Counted {
  try {
    return { type: 'read', count: list().length };
  } catch (thrown) {
    return { type: 'broken', problem: describeError(thrown) };
  }
}

/** The MCP servers of the settings, none of which is started or asked. */
export async function lookAtServers({ env, home, secrets, loaded }: DoctorParts): Promise<readonly ServerFacts[]> {
  const lookUp = (name: string): string | undefined => secrets.get(name);
  return Object.entries(loaded.config.mcpServers).map(([name, server]) => ({
    name,
    isEnabled: server.isEnabled,
    missing: missingOf(server, lookUp),
    place: placeOf(
      server.place,
      env,
      mcpServerName.test(name) ? peekLogin(loginFile(home.mcpLogins, name)) : undefined,
    ),
  }));
}

function missingOf({ place }: McpServerSettings, lookUp: (name: string) => string | undefined): readonly string[] {
  if (place.type === 'nowhere') return [];
  const values = place.type === 'stdio' ? place.env : { ...place.headers, url: place.url };
  const expanded = expandVariables(values, lookUp);
  return expanded.type === 'missing' ? expanded.names : [];
}

function placeOf(place: McpPlace, env: DoctorParts['env'], login: McpLogin | undefined): ServerFacts['place'] {
  switch (place.type) {
    case 'nowhere':
      return place;
    case 'http':
      return {
        type: 'http',
        origin: URL.canParse(place.url) ? new URL(place.url).origin : 'its address',
        login: login === undefined ? 'none' : login.type === 'held' ? 'held' : 'needed',
      };
    case 'stdio':
      return { type: 'stdio', command: place.command, path: findCommand(place, env) };
  }
}

/** A name is looked up along the PATH; a path is one from the folder that the server is started in. */
function findCommand(
  { command, cwd, env: own }: Extract<McpPlace, { type: 'stdio' }>,
  env: DoctorParts['env'],
): string | undefined {
  if (!command.includes('/')) return findProgram(command, own['PATH'] ?? env['PATH'] ?? '');
  const path = isAbsolute(command) ? command : resolve(cwd ?? env['HOME'] ?? homedir(), command);
  return findProgram(path.slice(path.lastIndexOf('/') + 1), path.slice(0, path.lastIndexOf('/')) || '/');
}
