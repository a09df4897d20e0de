import { readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, statSync } from 'node:fs';
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

/**
 * A browser has a socket in a folder among the temporary ones, to which its profile has a link, and leaves both where it is
 * killed. Nothing but these two names is removed there: the link is the browser's, and might lead anywhere.
 */
export function removeSingleton(profile: string): void {
  try {
    const folder = dirname(readlinkSync(join(profile, 'SingletonSocket')));
    for (const name of ['SingletonSocket', 'SingletonCookie']) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    return; // it has ended in order, and taken them along; or something else is there, which is not ours
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
