import { readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * Ends the browsers that work on a profile below a folder. They are known by the folder in their arguments, which is one
 * of ours; a process that only has the number of an old one is not touched.
 */
export function endBrowsersBelow(folder: string): number {
  const pids = listProcesses().flatMap(({ pid, isOurs }) => (isOurs(folder) ? [pid] : []));
  for (const pid of pids) endProcess(pid);
  return pids.length;
}

/** Ends and removes what a start of the program that was killed has left: its home is ours now, so nobody uses it. */
export function sweepProfiles(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return;
  endBrowsersBelow(folder);
  for (const profile of readdirSync(folder)) removeSingleton(join(folder, profile));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Where a profile says in which folder the socket of its browser is: the browser takes its own link away before that folder. */
const socketNote = 'socket-folder';

/** Notes, while a browser runs on a profile, what it would leave if it was killed. */
export function noteSingleton(profile: string): void {
  const folder = singletonFolder(profile);
  if (folder !== undefined) writeFileSync(join(profile, socketNote), folder);
}

/**
 * A browser has a socket in a folder among the temporary ones, to which its profile has a link, and leaves both where it is
 * killed. Nothing but these two names is removed there: the link is the browser's, and might lead anywhere.
 */
export function removeSingleton(profile: string): void {
  const folder = singletonFolder(profile) ?? readIfThere(join(profile, socketNote));
  if (folder === undefined) return;
  try {
    for (const name of ['SingletonSocket', 'SingletonCookie']) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    return; // it has ended in order, and taken it along; or something else is there, which is not ours
  }
}

function singletonFolder(profile: string): string | undefined {
  try {
    return dirname(readlinkSync(join(profile, 'SingletonSocket')));
  } catch {
    return undefined; // it has none yet, or no more
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

interface SeenProcess {
  readonly pid: number;
  readonly isOurs: (folder: string) => boolean;
}

function listProcesses(): readonly SeenProcess[] {
  if (process.platform !== 'linux') return listByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const args = readArguments(pid);
      return {
        pid: Number(pid),
        isOurs: (folder) =>
          args.some((arg) => profileFlags.some((flag) => `${arg}${sep}`.startsWith(`${flag}${folder}${sep}`))),
      };
    });
}

// The second is that of the helper that waits for crashes, which is no child of the browser.
const profileFlags: readonly string[] = ['--user-data-dir=', '--database='];

function readArguments(pid: string): readonly string[] {
  try {
    // Helpers of the browser put all of theirs into one.
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split(/\0| (?=--)/);
  } catch {
    return [];
  }
}

/** Where there is no /proc, arguments are one line. */
function listByPs(): readonly SeenProcess[] {
  // Loaded when it is needed, since this module is loaded at every start.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), isOurs: (folder: string) => isNamedIn(command, folder) }];
  });
}

function isNamedIn(command: string, folder: string): boolean {
  return profileFlags.some((flag) => `${command} `.replaceAll(' ', sep).includes(`${flag}${folder}${sep}`));
}

function endProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
