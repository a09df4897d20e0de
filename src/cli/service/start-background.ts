import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ProcessPort, ServiceDesk } from '../app-port.ts';

/** The file that a gateway in the background prints into, from its last start on. */
export function outputPath(logs: string): string {
  return join(logs, 'gateway.out');
}

/** Starts the gateway in a session of its own, so that it outlives this process and its terminal. */
export async function startBackground(
  { env, program }: Pick<ProcessPort, 'env' | 'program'>,
  { home, logs }: Pick<ServiceDesk, 'home' | 'logs'>,
  options: readonly string[],
): Promise<ChildProcess> {
  const { spawn } = await import('node:child_process');
  const { open } = await import('node:fs/promises');
  const { node, script } = program();
  await using output = await open(outputPath(logs), 'w', 0o600);
  const child = spawn(node, [script, 'gateway', 'run', ...options], {
    // The folder that the command was given in may be gone tomorrow; and what was said relative to it counts no more.
    cwd: home,
    env: { ...env, TALARIA_HOME: home, TALARIA_KEEPER: 'background', TALARIA_LONGEST_DRAIN: '' },
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  child.unref();
  return child;
}
