import { chmodSync, mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '../../base/ids.ts';
import type { SandboxSettings } from '../../model/terminal-settings.ts';
import type { ToolPlace } from '../../model/tool.ts';
import { isFolder } from '../is-folder.ts';
import { realPath } from '../real-path.ts';
import { quote } from '../shell/call-ticket.ts';
import type { Enclosure } from '../shell/enclosure.ts';
import { leftFile } from '../shell/shell-script.ts';
import type { TaskState } from '../task-state.ts';
import type { Workspace } from '../workspace.ts';
import { checkMounts } from './check-mounts.ts';
import type { ExpectedMounts } from './check-mounts.ts';
import { findDifference } from './find-difference.ts';
import { findProject } from './find-project.ts';
import { closedArguments, defaultSignals, namespaceArguments } from './namespace-arguments.ts';
import { probeSandbox } from './probe-sandbox.ts';
import type { SandboxReport } from './probe-sandbox.ts';
import { isWithin, privatePlaces, systemFolders, viewArguments } from './sandbox-view.ts';
import type { TaskGroup } from './task-group.ts';
import { findToolFolders } from './tool-folders.ts';

export interface SandboxOptions {
  readonly settings: SandboxSettings;
  readonly state: TaskState;
  readonly workspace: Workspace;
  readonly taskGroup: TaskGroup;
  /** What commands are given. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How commands of a session run. */
export type Fence =
  | { readonly type: 'in-force'; readonly report: Available }
  /** There is none, and commands are asked about. */
  | { readonly type: 'none'; readonly reason: string; readonly cause: 'system' | 'folder' }
  /** There is none, and there has to be one. */
  | { readonly type: 'required'; readonly reason: string; readonly cause: 'system' | 'folder' };

type Available = Extract<SandboxReport, { readonly type: 'available' }>;

// Where files are that only the shell inside reads.
const givenFolder = '/run/talaria';
const mostNewTasks = 1024;
const viewFile = 'view';

/** Sets commands apart from the system, with bubblewrap. Whether it can is found out once, by the first command. */
export class Sandbox {
  readonly #options: SandboxOptions;
  #report: Promise<SandboxReport> | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  async fence({ workdir }: ToolPlace): Promise<Fence> {
    const { settings, workspace, environment } = this.#options;
    if (settings.mode === 'off') return { type: 'none', reason: 'it is switched off', cause: 'system' };
    const report = await (this.#report ??= probeSandbox(environment['PATH']));
    const type = settings.mode === 'on' ? 'required' : 'none';
    if (report.type === 'missing') return { type, reason: describeLack(report), cause: 'system' };
    const real = realPath(workdir);
    const reason = isFolder(real) ? workspace.whyNotApart(real) : `there is no folder ${real}`;
    return reason === undefined ? { type: 'in-force', report } : { type, reason, cause: 'folder' };
  }

  /** Whether a path means something else inside: the places that each session has for itself. */
  isPrivate(path: string, place: ToolPlace): boolean {
    const places = Object.values(privatePlaces(this.#options.workspace.userHome));
    return isWithin(path, places) && !isWithin(path, [realPath(place.workdir)]);
  }

  /** The folder inside that a shell which stands in this one outside begins in; undefined where it is not seen there. */
  findFolder(folder: string, place: ToolPlace): string | undefined {
    const real = this.isPrivate(folder, place) ? folder : realPath(folder);
    return isWithin(real, this.#seen(place)) || this.#isPrivateFolder(real, place) ? real : undefined;
  }

  /** What a command names that is not inside what it is outside, in words. */
  findDifference(command: string, place: ToolPlace): string | undefined {
    const { userHome } = this.#options.workspace;
    const seen = this.#seen(place);
    return findDifference(command, { userHome, isSame: (path) => isWithin(path, seen) });
  }

  /** The folders that are inside what they are outside. */
  #seen(place: ToolPlace): readonly string[] {
    const workdir = realPath(place.workdir);
    const project = this.#projectOf(workdir);
    return [...systemFolders, ...this.#toolFolders(), workdir, ...(project === undefined ? [] : [project])];
  }

  #isPrivateFolder(folder: string, place: ToolPlace): boolean {
    if (!this.isPrivate(folder, place)) return false;
    const places = Object.entries(privatePlaces(this.#options.workspace.userHome));
    return places.some(([name, path]) => {
      const kept = join(this.#privateFolder(place.sessionId), name, folder.slice(path.length));
      return isWithin(folder, [path]) && isFolder(kept);
    });
  }

  /** What a call of a session is started in, which reads its request from this file. */
  enclose(place: ToolPlace, requestFile: string, report: Available): Enclosure {
    const { settings, state, workspace } = this.#options;
    const { userHome, ownFolders } = workspace;
    const workdir = realPath(place.workdir);
    const given = [
      { from: state.fileOf(place.sessionId), to: join(givenFolder, 'shell') },
      { from: state.insideFileOf(place.sessionId), to: join(givenFolder, 'shell-inside') },
      { from: requestFile, to: join(givenFolder, 'request') },
    ] as const;
    const view = viewArguments({
      workdir,
      project: this.#projectOf(workdir),
      userHome,
      ownFolders,
      toolFolders: this.#toolFolders(),
      privateFolder: this.#makePrivateFolder(place.sessionId),
      given,
      network: settings.network,
    });
    return {
      ready: this.#joinGroup(),
      files: { [viewFile]: view.map((word) => `${word}\0`).join('') },
      launch: launchWords(report, networkArguments(settings)),
      stateFiles: [given[0].to, given[1].to],
      requestFile: given[2].to,
      before: `${limits()}; ${checkMounts(this.#mounts(place))}`,
      after: `export TMPDIR=/tmp npm_config_cache=${quote(join(userHome, '.cache/npm'))}`,
    };
  }

  #mounts(place: ToolPlace): ExpectedMounts {
    const { tmp, cache } = privatePlaces(this.#options.workspace.userHome);
    const single = ['/', tmp, cache, this.#options.workspace.userHome, realPath(place.workdir)];
    return { single, within: [...this.#seen(place), '/dev', '/proc', givenFolder, realPath('/etc/resolv.conf')] };
  }

  /** Takes longer than all of bubblewrap, since the kernel waits for its other processors; so it is done while a shell waits. */
  #joinGroup(): string {
    const tasks = this.#options.taskGroup.open();
    return tasks === undefined ? '' : `{ echo $$ > ${quote(tasks)}; } 2> /dev/null`;
  }

  #projectOf(workdir: string): string | undefined {
    return findProject(workdir, (folder) => this.#options.workspace.whyNotApart(folder) === undefined);
  }

  #toolFolders(): readonly string[] {
    return findToolFolders(this.#options.environment['PATH'] ?? '', this.#options.workspace.userHome);
  }

  #privateFolder(sessionId: SessionId): string {
    return join(this.#options.state.folderOf(sessionId), 'sandbox');
  }

  #makePrivateFolder(sessionId: SessionId): string {
    const folder = this.#privateFolder(sessionId);
    mkdirSync(join(folder, 'cache'), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    chmodSync(join(folder, 'tmp'), 0o1777);
    return folder;
  }

  /** What the model is to know of it when something in it did not work. */
  describe({ workdir }: ToolPlace): string {
    const network = this.#options.settings.network === 'none' ? 'no network; ' : '';
    return `${network}of the home only ${workdir}; writes only there (not to .git) and to its own /tmp`;
  }

  /** The same of a process that was started in it. */
  describeProcess(): string {
    const ports = this.#options.settings.network === 'none' ? ', where nothing else reaches its ports' : '';
    return `It runs in the sandbox${ports}; a server for others is started with outside: true.`;
  }
}

function describeLack({ reason, fix }: Exclude<SandboxReport, Available>): string {
  return fix === undefined ? reason : `${reason}; what mends it: ${fix}`;
}

function networkArguments({ network }: SandboxSettings): readonly string[] {
  return network === 'shared' ? ['--share-net'] : [];
}

/**
 * The outermost process is not to end before what it waits for: a signal to the group is for the commands. What is seen inside
 * stands in a file, since `ps` shows the words of a program to everyone, and to the command itself.
 */
function launchWords({ program, userNamespaces, ending }: Available, further: readonly string[]): string {
  const closed = userNamespaces === 'closed' ? closedArguments : [];
  const words = [program, ...namespaceArguments, ...closed, ...further, '--args', '9', '--chdir', '/', '--'];
  const start = `exec 9< ${viewFile} || exit 126; exec ${words.map(quote).join(' ')}`;
  return ending === 'asked'
    ? `${closeFiles}; trap '' TERM; ${start} ${defaultSignals.join(' ')}`
    : `${closeFiles}; ${start}`;
}

// Who has an open folder goes on from there to wherever it leads. Whoever started us may have left us one.
const closeFiles = `for file in /proc/$$/fd/*; do case \${file##*/} in [012]|${leftFile}|255|*[!0-9]*) ;; *) eval "exec \${file##*/}>&-" ;; esac; done`;

/**
 * Newer kernels count the tasks of a sandbox by themselves, older ones all those of the user: the sum of what there is on
 * the system and of what is allowed suits both. The memory is that of each process.
 */
function limits(): string {
  const mostKilobytes = Math.round((totalmem() * 0.75) / 1024);
  const tasks = `read -r _ _ _ tasks _ < /proc/loadavg && ulimit -u $((\${tasks#*/} + ${mostNewTasks})); unset tasks`;
  return `{ ${tasks}; ulimit -c 0; ulimit -d ${mostKilobytes}; } 2> /dev/null`;
}
