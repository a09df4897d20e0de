import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SshSettings } from '../../src/model/terminal-settings.ts';
import { signalProcess } from '../../src/tools/shell/process-group.ts';
import { makeTempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

const sshd = '/usr/sbin/sshd';
const run = promisify(execFile);

/** Why there can be no sshd here, for tests that need one. */
export function findSshObstacle(): string | false {
  if (!existsSync(sshd)) return 'there is no sshd here (Debian: openssh-server)';
  return process.getuid?.() === 0 ? false : 'an sshd of a test needs the super-user';
}

export interface SshServerOptions {
  /** Whose key the list of known hosts has. */
  readonly knows?: 'it' | 'nobody' | 'another';
}

/** A real sshd on loopback, with keys and a home folder of its own for whoever logs in. */
export async function openSshServer({ knows = 'it' }: SshServerOptions = {}): Promise<SshServer> {
  const folder = await makeTempFolder();
  const server = new SshServer(folder, await freePort());
  await server.prepare(knows);
  await server.start();
  return server;
}

/** Below the ports that the system hands out itself: it stays free while the host is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(15_000, 32_000), '127.0.0.1');
    const port = await once(server, 'listening').then(
      () => (server.address() as AddressInfo).port,
      () => undefined,
    );
    if (port === undefined) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

export class SshServer implements AsyncDisposable {
  /** What whoever logs in has as a home folder. */
  readonly home: string;
  readonly settings: SshSettings & { readonly host: string };
  readonly #folder: TempFolder;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(folder: TempFolder, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.home = join(folder.path, 'home');
    this.settings = {
      host: '127.0.0.1',
      user: userInfo().username,
      port,
      keyFile: join(folder.path, 'user-key'),
      knownHostsFile: join(folder.path, 'known-hosts'),
    };
  }

  async prepare(knows: 'it' | 'nobody' | 'another'): Promise<void> {
    const at = (name: string): string => join(this.#folder.path, name);
    await mkdir(this.home);
    // Without it, sshd does not start.
    await mkdir('/run/sshd', { recursive: true });
    for (const name of ['host-key', 'other-key', 'user-key']) {
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
    }
    await writeFile(at('authorized'), await readFile(at('user-key.pub')));
    const known = await readFile(at(knows === 'another' ? 'other-key.pub' : 'host-key.pub'), 'utf8');
    await writeFile(at('known-hosts'), knows === 'nobody' ? '' : `[127.0.0.1]:${this.#port} ${known}`);
    const config = [
      `Port ${this.#port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host-key')}`,
      `AuthorizedKeysFile ${at('authorized')}`,
      `PidFile ${at('pid')}`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'AcceptEnv *',
      `SetEnv HOME=${this.home}`,
      'MaxSessions 50',
      'MaxStartups 100',
    ];
    await writeFile(at('config'), `${config.join('\n')}\n`);
    await chmod(at('config'), 0o600);
  }

  async start(): Promise<void> {
    const config = join(this.#folder.path, 'config');
    const child = spawn(sshd, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString('utf8')).slice(-2000);
    });
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${said}`);
      await nextTick();
    }
  }

  async #answers(): Promise<boolean> {
    const socket = connect(this.#port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return isOpen;
  }

  /** Takes the host down: nobody gets in, and the connections that there are break. What runs there runs on. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    const connections = sshdBelow(child.pid);
    child.kill('SIGKILL');
    for (const pid of connections) signalProcess(pid, 'SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** The processes of sshd below this one: those of its connections, not the commands. */
function sshdBelow(parent: number): readonly number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const stat = readStat(name);
    return stat.includes('(sshd') && Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
  });
  return children.map(Number).flatMap((pid) => [pid, ...sshdBelow(pid)]);
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
