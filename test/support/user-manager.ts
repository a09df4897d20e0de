import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { lookUntil } from './left-behind.ts';

const namespaces = ['--cgroup', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
const manager = '/usr/lib/systemd/systemd';

// The shell is the first process of its namespace: with its end the kernel ends every other one.
const setUp = `
set -e
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
mkdir -p -m 700 "$XDG_RUNTIME_DIR" "$TMPDIR"
"$@"
`;

/** Why no user manager of systemd can be run in namespaces of its own on this machine, or false. */
export function whyNoUserManager(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'namespaces with a systemd of their own take Linux and root';
  if (!existsSync(manager)) return `systemd is not installed (${manager})`;
  if (!existsSync('/usr/bin/systemctl')) return 'systemctl is not installed';
  if (cgroupFolder() === undefined) return 'no cgroup2 is mounted here';
  try {
    execFileSync('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', '/run'], { stdio: 'pipe' });
    new OwnCgroup()[Symbol.dispose]();
    return false;
  } catch (thrown) {
    return `namespaces, mounts or cgroups of our own cannot be made here: ${String(thrown).split('\n')[0]}`;
  }
}

export interface EndedProgram {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the tests where `startUserManager` can be called. Whatever it leaves running ends with it. */
export async function runInNamespaces(program: string, longestMs: number): Promise<EndedProgram> {
  using cgroup = new OwnCgroup();
  const inside = ['sh', '-c', setUp, 'sh', process.execPath, program];
  const entering = ['-c', 'echo $$ > "$0" && exec "$@"', cgroup.processes, 'unshare', ...namespaces, ...inside];
  const child = spawn('sh', entering, {
    // Every folder of a test has a space in its path, and goes with the namespace.
    env: { ...inherited(), XDG_RUNTIME_DIR: '/run/user/0', TMPDIR: '/run/a folder' },
    stdio: 'pipe',
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  await lookUntil(
    () => Promise.resolve(cgroup.isPopulated()),
    (isPopulated) => !isPopulated,
  );
  return { code, stdout, stderr };
}

function inherited(): Readonly<Record<string, string | undefined>> {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, LANG: 'C.UTF-8' };
}

/** Starts the manager of a user, as a login does. */
export async function startUserManager(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn(manager, ['--user', '--log-target=console'], { env, stdio: 'ignore' });
  await lookUntil(
    () => Promise.resolve(ask(env)),
    (state) => state === 'running' || state === 'degraded',
  );
  return child;
}

function ask(env: Readonly<Record<string, string>>): string {
  try {
    return execFileSync('systemctl', ['--user', 'is-system-running'], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch (thrown) {
    return String((thrown as { readonly stdout?: unknown }).stdout).trim();
  }
}

/** A group for all that runs inside, so that systemd manages this one and no other. */
class OwnCgroup implements Disposable {
  readonly #folder = join(cgroupFolder() ?? '', `talaria-test-${process.pid}`);

  constructor() {
    mkdirSync(this.#folder);
  }

  get processes(): string {
    return join(this.#folder, 'cgroup.procs');
  }

  isPopulated(): boolean {
    return readFileSync(join(this.#folder, 'cgroup.events'), 'utf8').includes('populated 1');
  }

  [Symbol.dispose](): void {
    const inside = readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map((each) => join(each.parentPath, each.name))
      .toSorted((one, other) => other.length - one.length);
    for (const folder of [...inside, this.#folder]) rmdirSync(folder);
  }
}

/** The group of this process, in the file system of the groups. */
function cgroupFolder(): string | undefined {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mount = mounts.find((line) => line.includes(' - cgroup2 '))?.split(' ')[4];
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  return mount === undefined || own === undefined ? undefined : join(mount, own);
}
