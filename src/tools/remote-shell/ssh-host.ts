import { hash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../base/errors.ts';
import type { SshSettings } from '../../model/terminal-settings.ts';
import type { Breakage, Elsewhere, Reached, Way } from './elsewhere.ts';

export interface SshHostOptions {
  readonly settings: SshSettings & { readonly host: string };
  /** Where the socket of the shared connection may stand. */
  readonly folder: string;
  /** What ssh itself may see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// A path of a socket has 104 bytes on some systems, and ssh puts 17 more behind the name while it makes one.
const longestSocket = 104 - 17 - 1;
const seen = ['HOME', 'LOGNAME', 'PATH', 'SSH_AUTH_SOCK', 'USER'] as const;
const closeMs = 2000;

/**
 * A host behind the system's ssh, with the keys and the settings of the user. One connection is shared by all commands,
 * and kept for a while. Nothing is asked, nothing is forwarded, and none of our variables is sent.
 */
export class SshHost implements Elsewhere {
  readonly name: string;
  readonly note: string;
  readonly isSandbox = false;
  readonly startsIn = 'home';
  readonly #options: SshHostOptions;
  readonly #environment: Readonly<Record<string, string>>;
  #wasUsed = false;

  constructor(options: SshHostOptions) {
    const { host, user } = options.settings;
    this.#options = options;
    this.name = user === undefined ? host : `${user}@${host}`;
    this.note = `the file tools see this machine, not ${this.name}`;
    // Without LANG and its like, which the settings of many systems would have sent.
    this.#environment = Object.fromEntries(seen.flatMap((name) => pair(name, options.environment[name])));
  }

  reach(): Promise<Reached> {
    this.#wasUsed = true;
    return Promise.resolve({ type: 'open', way: this.#way(['exec bash --noprofile --norc -s']) });
  }

  #way(rest: readonly string[], extra: readonly string[] = []): Way {
    const options = [...fixedOptions, ...this.#chosenOptions()].flatMap((option) => ['-o', option]);
    const args = ['-T', ...extra, ...options, '--', this.#options.settings.host, ...rest];
    return { program: 'ssh', args, environment: this.#environment };
  }

  #chosenOptions(): readonly string[] {
    const { user, port, keyFile, knownHostsFile } = this.#options.settings;
    return [
      `ControlPath=${asPath(this.#socket())}`,
      ...(user === undefined ? [] : [`User=${user}`]),
      ...(port === undefined ? [] : [`Port=${port}`]),
      ...(keyFile === undefined ? [] : [`IdentityFile="${asPath(keyFile)}"`, 'IdentitiesOnly=yes']),
      ...(knownHostsFile === undefined ? [] : [`UserKnownHostsFile="${asPath(knownHostsFile)}"`]),
    ];
  }

  /** Named by all that makes it this connection and no other; in a folder that is nobody else's. */
  #socket(): string {
    const { settings, folder } = this.#options;
    const name = hash('sha256', JSON.stringify([folder, settings])).slice(0, 16);
    const near = join(folder, 'ssh');
    const isShort = Buffer.byteLength(join(near, name)) <= longestSocket;
    const place = isShort ? near : join(tmpdir(), `talaria-ssh-${process.getuid?.() ?? 0}`);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(place);
    const isOurs = uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
    return isOurs ? join(place, name) : 'none';
  }

  explain({ error, code, stderr }: Breakage): string {
    const { name } = this;
    if (systemErrorCode(error) === 'ENOENT')
      return 'there is no program ssh on this machine: install an OpenSSH client';
    if (error !== undefined) return `${name} cannot be reached: ${error.message}`;
    const reason = lastLine(stderr) ?? `ssh ended with code ${code ?? 'none'}`;
    if (stderr.includes('IDENTIFICATION HAS CHANGED')) {
      return `the host key of ${name} is not the one that was accepted before: someone may be in between. Only the user can say; where the change is meant: ssh-keygen -R ${this.#hostInKnownHosts()}, then ${this.#byHand()}`;
    }
    if (/host key is known|Host key verification failed/.test(stderr)) {
      return `the host key of ${name} is not known yet. The user has to check and accept it once, by running: ${this.#byHand()}`;
    }
    if (stderr.includes('Permission denied')) {
      return `${name} lets nobody in with the keys that there are (${reason}). The user can look into it with: ${this.#byHand()}`;
    }
    if (code === 127) return `there is no bash on ${name}`;
    return `${name} cannot be reached (${reason}). Try again later, or tell the user`;
  }

  /** What a person types to get there, with the same key and the same list of hosts. */
  #byHand(): string {
    const { port, keyFile, knownHostsFile } = this.#options.settings;
    const words = [
      'ssh',
      ...(port === undefined ? [] : ['-p', String(port)]),
      ...(keyFile === undefined ? [] : ['-i', keyFile]),
      ...(knownHostsFile === undefined ? [] : ['-o', `UserKnownHostsFile=${knownHostsFile}`]),
      this.name,
    ];
    return words.join(' ');
  }

  #hostInKnownHosts(): string {
    const { host, port, knownHostsFile } = this.#options.settings;
    const entry = port === undefined ? host : `'[${host}]:${port}'`;
    return knownHostsFile === undefined ? entry : `${entry} -f ${knownHostsFile}`;
  }

  release(): Promise<'stays'> {
    return Promise.resolve('stays');
  }

  /** Lets go of the shared connection. What runs there does not need it. */
  async close(): Promise<void> {
    if (!this.#wasUsed) return;
    const { program, args, environment } = this.#way([], ['-O', 'exit']);
    const { execFile } = await import('node:child_process');
    const run = promisify(execFile);
    // Nobody being connected is what is wanted.
    await run(program, [...args], { env: environment, timeout: closeMs }).catch(() => undefined);
  }
}

const fixedOptions: readonly string[] = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'UpdateHostKeys=no',
  'ConnectTimeout=10',
  'ServerAliveInterval=5',
  'ServerAliveCountMax=3',
  'ControlMaster=auto',
  'ControlPersist=300',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'PermitLocalCommand=no',
  'RemoteCommand=none',
  'EscapeChar=none',
  'LogLevel=ERROR',
];

/** To ssh, a percent sign in a path stands for something else. */
function asPath(path: string): string {
  return path.replaceAll('%', '%%');
}

function pair(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

function lastLine(text: string): string | undefined {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}
