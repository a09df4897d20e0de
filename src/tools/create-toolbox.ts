import { existsSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { createBrowserGroup } from './browser/create-browser-group.ts';
import type { BrowserParts } from './browser/create-browser-group.ts';
import { chooseEnvironment } from './child-environment.ts';
import type { Postbox } from '../model/postbox.ts';
import type { FenceReport } from '../model/tool.ts';
import { terminalSettings } from '../model/terminal-settings.ts';
import type { SandboxSettings, TerminalSettings } from '../model/terminal-settings.ts';
import type { Checkpoints } from './checkpoints/checkpoints.ts';
import { ReadStamps } from './files/read-stamps.ts';
import { BackgroundProcesses } from './processes/background-processes.ts';
import { ProcessEndings } from './processes/process-endings.ts';
import { TaskGroup } from './sandbox/task-group.ts';
import { CallTickets } from './shell/call-tickets.ts';
import { RunningCommands } from './shell/running-commands.ts';
import { openRemoteShell } from './remote-shell/open-remote-shell.ts';
import type { Elsewhere } from './remote-shell/elsewhere.ts';
import { createRemoteTerminal } from './remote-shell/remote-terminal.ts';
import { TaskState } from './task-state.ts';
import { createClarify } from './clarify.ts';
import { createPatch } from './patch.ts';
import { createProcess } from './process.ts';
import { createReadFile } from './read-file.ts';
import { ToolRegistry } from './registry.ts';
import type { ToolGroup } from './registry.ts';
import { createSearchFiles } from './search-files.ts';
import { createSendMessage } from './send-message.ts';
import { createTerminal } from './terminal.ts';
import { toInput } from './terminal-input.ts';
import { createWebFetch } from './web-fetch.ts';
import { createWebSearch } from './web-search.ts';
import type { WebToolDeps } from './web/web-tool-deps.ts';
import { createTodo } from './todo.ts';
import { Workspace } from './workspace.ts';
import { createWriteFile } from './write-file.ts';

export interface ToolboxOptions {
  /** Holds one folder for each session's shell. */
  readonly taskFolder: string;
  /** Without settings for a sandbox there is none; what else is left out is as usual. */
  readonly terminal: Partial<TerminalSettings> & Pick<TerminalSettings, 'timeoutMs' | 'envPassthrough'>;
  /** The environment of the process, from which children get a chosen few. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Talaria's own home, which no tool writes to. */
  readonly homeFolder: string;
  /** The way to the web; left out: there are no tools for it. */
  readonly web?: Omit<WebToolDeps, 'clock'>;
  /** What files were like before they were written. */
  readonly checkpoints: Checkpoints;
  /** Left out where nothing is ever sent. */
  readonly postbox?: Postbox;
  /** Takes our own keys out of what tools say. */
  readonly redact?: (text: string) => string;
  /** Left out: there is no browser. */
  readonly browser?: Omit<BrowserParts, 'taskFolder' | 'environment' | 'clock'>;
  readonly clock: Clock;
}

/** The tools of a process. What they need to run is loaded when they first run. */
export function createToolbox(options: ToolboxOptions): ToolRegistry {
  const { taskFolder, homeFolder, checkpoints, postbox, clock } = options;
  const state = new TaskState(taskFolder);
  const workspace = new Workspace({ state, homeFolder, taskFolder, environment: options.environment });
  const environment = chooseEnvironment(options.environment, options.terminal.envPassthrough);
  const stamps = new ReadStamps();
  const writing = { workspace, checkpoints, stamps };
  const files: ToolGroup = {
    tools: [
      createReadFile(workspace, stamps),
      createWriteFile(writing),
      createPatch(writing),
      createSearchFiles({ workspace, environment, clock }),
    ],
    endTask: (sessionId) => checkpoints.remove(sessionId),
  };
  const small: ToolGroup = {
    tools: [createTodo(taskFolder), createClarify(), ...(postbox ? [createSendMessage({ workspace, postbox })] : [])],
  };
  const registry = new ToolRegistry(options.redact);
  registry.put('terminal', shellTools(options, { state, workspace, environment }));
  registry.put('file', files);
  if (options.web !== undefined) registry.put('web', webTools({ ...options.web, clock }));
  if (options.browser !== undefined)
    registry.put('browser', createBrowserGroup({ ...options.browser, taskFolder, environment, clock }));
  registry.put('small', small);
  return registry;
}

interface ShellParts {
  readonly state: TaskState;
  readonly workspace: Workspace;
  readonly environment: Readonly<Record<string, string>>;
}

function shellTools(options: ToolboxOptions, parts: ShellParts): ToolGroup {
  const { taskFolder, clock } = options;
  const { state } = parts;
  const tickets = new CallTickets(taskFolder);
  const processes = new BackgroundProcesses(taskFolder);
  const endings = new ProcessEndings(processes);
  const running = new RunningCommands({
    openGroups: (sessionId) => [...tickets.openGroups(sessionId), ...processes.openGroups(sessionId)],
    groups: (sessionId) => [...tickets.groups(sessionId), ...processes.openGroups(sessionId)],
  });
  const { timeoutMs, sandbox } = options.terminal;
  const background = { processes, endings, clock };
  const taskGroup = new TaskGroup(taskFolder);
  const local = createTerminal({ ...background, ...parts, running, tickets, taskGroup, timeoutMs, sandbox });
  const remote = openRemoteShell({ ...terminalSettings(), ...options.terminal }, options);
  return {
    tools: [
      remote === undefined ? local : createRemoteTerminal(remote),
      createProcess({ ...background, judgeText: (text, place) => local.assess(toInput(text), place) }),
    ],
    describeFence: async (place) => {
      if (remote !== undefined) return describeElsewhere(remote.there);
      const { describeFence } = await import('./sandbox/describe-fence.ts');
      return await describeFence(place, { ...parts, taskGroup, settings: sandbox ?? noSandbox });
    },
    unheardNews: (sessionId) => endings.unheardNews(sessionId),
    onNews: (listener) => endings.onNews(listener),
    async endTask(sessionId) {
      // A session without a folder has never run a command.
      if (!existsSync(state.folderOf(sessionId))) return;
      processes.noteClosing(sessionId);
      await running.end(sessionId);
      await processes.endSupervisors(sessionId);
      await remote?.end(sessionId);
      await state.remove(sessionId);
    },
    sessionsWithTask: () => state.sessions(),
    hasLiveProcess: (sessionId) => Promise.resolve(remote?.isBusy(sessionId) === true || running.isAlive(sessionId)),
    async close() {
      // A shell that waits is one of the group.
      await local.close();
      await taskGroup.close();
      await remote?.close();
    },
  };
}

const noSandbox: SandboxSettings = { mode: 'off', network: 'none' };

function describeElsewhere({ name, isSandbox }: Elsewhere): FenceReport {
  if (isSandbox) return { text: `in force: commands run in ${name}, without network`, cause: undefined };
  return { text: `none: nothing keeps commands in on ${name}; they are asked about`, cause: 'system' };
}

function webTools(deps: WebToolDeps): ToolGroup {
  return { tools: [createWebFetch(deps), createWebSearch(deps)] };
}
