import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../base/is-inside.ts';
import type { Risk, ToolPlace } from '../model/tool.ts';
import { isDelicatePath } from './delicate-names.ts';
import { mayHoldLogin } from './login-files.ts';
import { longestPath, realPath } from './real-path.ts';
import type { TaskState } from './task-state.ts';
import { spellOut } from './tool-outcomes.ts';

export interface WorkspaceOptions {
  readonly state: TaskState;
  /** Our own home, which holds the settings that bind the model. */
  readonly homeFolder: string;
  readonly taskFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Where paths lead, and which of those places a call may touch. It judges real paths, with all links followed. */
export class Workspace {
  readonly userHome: string;
  readonly #state: TaskState;
  readonly #ours: readonly string[];
  readonly #secrets: readonly string[];
  readonly #brought: string;

  constructor(options: WorkspaceOptions) {
    const home = realPath(resolve(options.homeFolder));
    this.userHome = options.environment['HOME'] ?? homedir();
    this.#state = options.state;
    // What a shell leaves there are the exported variables of its conversation, which is not always the asking one.
    const tasks = realPath(resolve(options.taskFolder));
    this.#ours = [home, tasks];
    this.#secrets = [join(home, '.env'), join(home, 'state'), tasks];
    this.#brought = join(home, 'files');
  }

  /** The absolute path that a tool's argument means, with all links followed. Relative ones start where the shell stands. */
  locate(path: string, place: ToolPlace, from = this.#state.currentFolder(place)): string {
    return realPath(resolve(realPath(from), this.#expandHome(path)));
  }

  /** The absolute path that a word means from a folder, by its names alone. */
  nameOf(path: string, from: string): string {
    return resolve(from, this.#expandHome(path));
  }

  /** Every place that a word may name from a folder, by its names and by its folder's: what stands there can be swapped. */
  placesNamed(path: string, from: string): readonly string[] {
    return [from, realPath(from)].flatMap((folder) => {
      const named = this.nameOf(path, folder);
      return [named, realPath(dirname(named))];
    });
  }

  #expandHome(path: string): string {
    if (path === '~') return this.userHome;
    return path.startsWith('~/') ? join(this.userHome, path.slice(2)) : path;
  }

  judgeRead(path: string): Risk {
    if (isImpossible(path)) return { type: 'forbidden', reason: impossiblePath };
    if (this.isSecret(path))
      return { type: 'forbidden', reason: `${path} holds secrets or records that are kept from the model` };
    if (mayHoldLogin(path))
      return { type: 'ask', question: `read ${spellOut(path)}, which may hold something that logs you in` };
    return { type: 'safe' };
  }

  /** Whether nothing of this path may reach the model: our own secrets, and the environments of running programs. */
  isSecret(path: string): boolean {
    return this.#secrets.some((secret) => isInside(path, secret)) || isProcessSecret(path);
  }

  /** Whether a file was sent by people or brought by tools: whoever wrote it, it was not written here. */
  isBrought(path: string): boolean {
    return isInside(path, this.#brought);
  }

  judgeWrite(path: string, place: ToolPlace, describe: () => string): Risk {
    if (isImpossible(path)) return { type: 'forbidden', reason: impossiblePath };
    if (this.#ours.some((folder) => isInside(path, folder))) {
      return { type: 'forbidden', reason: `${path} belongs to Talaria itself; only the user may change it, by hand` };
    }
    const workdir = realPath(place.workdir);
    const isPlain = isInside(path, workdir) && !this.#isSweeping(workdir) && !this.#isDelicate(path, workdir);
    return isPlain ? { type: 'safe' } : askWhole(spellOut(describe()));
  }

  /** Why nothing can be set apart for a session that was opened in this folder; undefined where it can. */
  whyNotApart(workdir: string): string | undefined {
    if (this.#ours.some((folder) => isInside(workdir, folder))) return `${workdir} belongs to Talaria itself`;
    if (this.#isSweeping(workdir) || sharedFolders.has(workdir))
      return `${workdir} is a whole home or a folder of the system`;
    if (mayHoldLogin(join(workdir, 'any'))) return `${workdir} holds what logs you in`;
    if (realPath(this.userHome) === '/') return 'the home is the root of the system';
    return undefined;
  }

  /** Our own folders, which no command is to see. */
  get ownFolders(): readonly string[] {
    return this.#ours;
  }

  /** Whether being started in a folder says nothing about what may be changed there: it is the system's, or a whole home. */
  #isSweeping(workdir: string): boolean {
    if (isInside(realPath(this.userHome), workdir) || foldersOfMany.has(workdir)) return true;
    return systemFolders.some((folder) => isInside(workdir, folder));
  }

  /** Files that run code, log in, instruct the model or sit in the user's own corner: asked about even inside the working folder. */
  #isDelicate(path: string, base: string): boolean {
    if (isDelicatePath(relative(base, path))) return true;
    const fromHome = relative(realPath(this.userHome), path);
    const corner = fromHome.split(sep)[0] ?? '';
    const isInCorner = corner.startsWith('.') && corner !== '..';
    return isInCorner && !isInside(base, join(realPath(this.userHome), corner));
  }
}

const impossiblePath = 'no file has such a path: it is too long, or holds a NUL';

function isImpossible(path: string): boolean {
  return path.length > longestPath || path.includes('\0');
}

const foldersOfMany: ReadonlySet<string> = new Set([
  '/',
  '/Users',
  '/Volumes',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/private',
  '/private/var',
  '/root',
  '/run',
  '/srv',
  '/var',
]);

// Other programs leave their sockets there.
const sharedFolders: ReadonlySet<string> = new Set(['/dev/shm', '/private/tmp', '/tmp', '/var/tmp']);

const systemFolders: readonly string[] = [
  '/Applications',
  '/Library',
  '/System',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/private/etc',
  '/proc',
  '/sbin',
  '/sys',
  '/usr',
];

const processSecret = /^\/proc\/(?:[^/]+\/task\/)?[^/]+\/(?:environ|cmdline|maps|smaps|mem|auxv|fd(?:\/.*)?)$/;

function isProcessSecret(path: string): boolean {
  return processSecret.test(path) || path === '/proc/kcore' || path === '/proc/kmsg';
}

const longestQuestion = 4000;

/** Nobody can agree to what they were not shown, and nobody reads what is longer than this. */
function askWhole(question: string): Risk {
  if (question.length <= longestQuestion) return { type: 'ask', question };
  const size = `${question.length} characters, where ${longestQuestion} can be shown`;
  const advice = 'write it to a plain file in the working folder instead, or in smaller pieces with patch';
  return { type: 'forbidden', reason: `this is too much to ask the user about (${size}); ${advice}` };
}
