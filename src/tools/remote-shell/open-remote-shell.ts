import { hash } from 'node:crypto';
import { homedir } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { findBackendProblem } from '../../model/terminal-settings.ts';
import type { TerminalSettings } from '../../model/terminal-settings.ts';
import { TaskState } from '../task-state.ts';
import { ContainerHost } from './container-host.ts';
import type { Elsewhere } from './elsewhere.ts';
import { RemoteShell } from './remote-shell.ts';
import { SshHost } from './ssh-host.ts';

export interface RemoteShellParts {
  readonly taskFolder: string;
  readonly homeFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The shell that the settings choose, where that is not the one of this machine. */
export function openRemoteShell(settings: TerminalSettings, parts: RemoteShellParts): RemoteShell | undefined {
  const { taskFolder, clock } = parts;
  const there = openPlace(settings, parts);
  if (there === undefined) return undefined;
  // Another host has other folders and other variables.
  const state = new TaskState(taskFolder, `remote-shell-${hash('sha256', there.name).slice(0, 16)}`);
  return new RemoteShell({ there, problem: findBackendProblem(settings), state, timeoutMs: settings.timeoutMs, clock });
}

function openPlace({ backend, ssh, docker }: TerminalSettings, parts: RemoteShellParts): Elsewhere | undefined {
  const { taskFolder, homeFolder, environment } = parts;
  switch (backend) {
    case 'local':
      return undefined;
    case 'ssh':
      return new SshHost({ settings: { ...ssh, host: ssh.host ?? 'nowhere' }, folder: taskFolder, environment });
    case 'docker': {
      const hidden = [homeFolder, taskFolder, environment['HOME'] ?? homedir()];
      return new ContainerHost({ settings: docker, environment: forEngine(environment), hidden });
    }
  }
}

const engineNames: readonly string[] = [
  'HOME',
  'PATH',
  'USER',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
  'CONTAINER_HOST',
];

/** What the program sees that runs containers. Nothing of it gets into one. */
function forEngine(environment: RemoteShellParts['environment']): Readonly<Record<string, string>> {
  const found = engineNames.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}
