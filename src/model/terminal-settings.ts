import type { Problem } from './schema.ts';

export const backendNames = ['local', 'ssh', 'docker'] as const;

export type BackendName = (typeof backendNames)[number];

export const sandboxModes = ['auto', 'on', 'off'] as const;

export type SandboxMode = (typeof sandboxModes)[number];

/** Whether commands are set apart from the system, and what they reach then. */
export interface SandboxSettings {
  /** `auto` is where it can be done, `on` refuses to run commands where it cannot. */
  readonly mode: SandboxMode;
  readonly network: 'none' | 'shared';
}

/** A host that commands run on, through the system's ssh. */
export interface SshSettings {
  readonly host: string | undefined;
  /** These where they differ from what ssh would take by itself. */
  readonly user: string | undefined;
  readonly port: number | undefined;
  readonly keyFile: string | undefined;
  readonly knownHostsFile: string | undefined;
}

/** The container that commands run in: one of ours, made from an image, or one that is there already. */
export interface DockerSettings {
  readonly image: string | undefined;
  readonly container: string | undefined;
  readonly command: 'docker' | 'podman';
  /** What a container of ours gets. */
  readonly network: string;
  readonly memoryMb: number;
  readonly pidsLimit: number;
}

/** The shell: where commands run, for how long, and what they may see. */
export interface TerminalSettings {
  readonly timeoutMs: number;
  readonly envPassthrough: readonly string[];
  readonly sandbox: SandboxSettings;
  readonly backend: BackendName;
  readonly ssh: SshSettings;
  readonly docker: DockerSettings;
}

export interface UserTerminal {
  readonly timeout?: number | undefined;
  readonly env_passthrough?: readonly string[] | undefined;
  readonly sandbox?: SandboxMode | undefined;
  readonly sandbox_network?: boolean | undefined;
  readonly backend?: BackendName | undefined;
  readonly ssh?: UserSsh | undefined;
  readonly docker?: UserDocker | undefined;
}

interface UserSsh {
  readonly host?: string | undefined;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly key_file?: string | undefined;
  readonly known_hosts_file?: string | undefined;
}

interface UserDocker {
  readonly image?: string | undefined;
  readonly container?: string | undefined;
  readonly command?: 'docker' | 'podman' | undefined;
  readonly network?: string | undefined;
  readonly memory_mb?: number | undefined;
  readonly pids_limit?: number | undefined;
}

export function terminalSettings(user: UserTerminal = {}): TerminalSettings {
  const { ssh = {}, docker = {} } = user;
  return {
    timeoutMs: (user.timeout ?? 180) * 1000,
    envPassthrough: user.env_passthrough ?? [],
    sandbox: { mode: user.sandbox ?? 'auto', network: user.sandbox_network === true ? 'shared' : 'none' },
    backend: user.backend ?? 'local',
    ssh: {
      host: ssh.host,
      user: ssh.user,
      port: ssh.port,
      keyFile: ssh.key_file,
      knownHostsFile: ssh.known_hosts_file,
    },
    docker: {
      image: docker.image,
      container: docker.container,
      command: docker.command ?? 'docker',
      network: docker.network ?? 'none',
      memoryMb: docker.memory_mb ?? 2048,
      pidsLimit: docker.pids_limit ?? 512,
    },
  };
}

/**
 * Why the chosen backend cannot be used as it is set; undefined where it can. Such a terminal refuses its commands: they
 * were not meant for this machine.
 */
export function findBackendProblem({ backend, ssh, docker }: TerminalSettings): string | undefined {
  switch (backend) {
    case 'local':
      return undefined;
    case 'ssh':
      if (ssh.host === undefined) return 'terminal.backend is ssh, and terminal.ssh.host names no host';
      return isName(ssh.host) && isName(ssh.user ?? 'me') ? undefined : 'terminal.ssh: host or user is no name';
    case 'docker': {
      const names = [docker.image, docker.container].filter((name) => name !== undefined);
      if (names.length === 0) return 'terminal.backend is docker, and terminal.docker names no image or container';
      if (names.length > 1) return 'terminal.docker names an image and a container: one of them is enough';
      return [...names, docker.network].every(isName) ? undefined : `terminal.docker: ${names.join('')} is no name`;
    }
  }
}

export function findTerminalDoubts(settings: TerminalSettings): readonly Problem[] {
  const message = findBackendProblem(settings);
  return message === undefined ? [] : [{ path: ['terminal', settings.backend], message }];
}

/** What a program cannot take for one of its options, nor for two words. */
function isName(text: string): boolean {
  return /^[^\s\p{C}-][^\s\p{C}]*$/u.test(text);
}
