import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describeError } from '../../base/errors.ts';
import { supervisorScript } from './supervisor-script.ts';

export interface SupervisorStart {
  /** The path of bash. */
  readonly bash: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the ticket. */
  readonly folder: string;
  readonly terminal: 'none' | 'pty';
}

export type Supervised = { readonly type: 'begun' } | { readonly type: 'not-begun'; readonly reason: string };

/** Starts what looks after a background process, in a session of its own, and waits until it has begun. */
export async function startSupervisor({ bash, environment, folder, terminal }: SupervisorStart): Promise<Supervised> {
  const mode = terminal === 'none' ? 'plain' : process.platform === 'linux' ? 'linux' : 'bsd';
  const child = spawn(bash, ['--noprofile', '--norc', '-c', supervisorScript, 'bash', mode], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.unref();
  let said = '';
  let reason: string | undefined;
  child.once('error', (error) => (reason = describeError(error)));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  // Once it has begun, it says nothing more to anybody.
  await once(child.stdout, 'close');
  return said.startsWith('begun') ? { type: 'begun' } : { type: 'not-begun', reason: reason ?? explain(said) };
}

function explain(said: string): string {
  const program = /^missing (\S+)/.exec(said)?.[1];
  if (program === undefined) return 'what would look after it ended at once';
  if (program === 'script') return 'a pty needs the program script (util-linux) on the PATH';
  return `it needs the program ${program} on the PATH`;
}
