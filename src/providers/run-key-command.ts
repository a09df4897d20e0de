import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../base/clock.ts';
import { systemErrorCode } from '../base/errors.ts';

const longestMs = 60_000;
const mostBytes = 16_384;

// What password managers and the clients of clouds need to find their user. Nothing of it is a secret, and keys are not in it.
const passed =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TERM|TMPDIR|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|GNUPGHOME|PASSWORD_STORE_DIR|CLOUDSDK_CONFIG|AWS_PROFILE|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE)$/;

export interface KeyCommandDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/**
 * Runs a command of the settings for the key that it prints: one line, within a minute. What it says besides is not read,
 * since it may hold what it should not. Rejects with a reason that is fit to show.
 */
export async function runKeyCommand(command: string, deps: KeyCommandDeps, signal: AbortSignal): Promise<string> {
  const { spawn } = await import('node:child_process');
  signal.throwIfAborted();
  const env = chooseEnvironment(deps.environment);
  const child = spawn('/bin/sh', ['-c', command], {
    env,
    cwd: env['HOME'] ?? '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  const overtime = new AbortController();
  const stop = AbortSignal.any([signal, overtime.signal]);
  const timer = deps.clock.sleep(longestMs, stop).then(
    () => overtime.abort(new Error(`key_command did not end within ${longestMs / 1000} s`)),
    () => undefined, // It ended in time.
  );
  try {
    return readKey(await untilEnd(child, stop));
  } finally {
    overtime.abort();
    await timer;
  }
}

function chooseEnvironment(environment: KeyCommandDeps['environment']): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && passed.test(name) ? [[name, value] as const] : [],
  );
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(entries) };
}

function untilEnd(child: ChildProcess, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = Buffer.alloc(0);
    const giveUp = (reason: Error): void => {
      endGroup(child);
      child.stdout?.destroy();
      reject(reason);
    };
    const stop = (): void => giveUp(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', (bytes: Buffer) => {
      printed = Buffer.concat([printed, bytes]);
      if (printed.length > mostBytes) giveUp(new Error('key_command printed far more than a key'));
    });
    child.once('error', (thrown) => {
      reject(new Error(`key_command could not be run: ${systemErrorCode(thrown) ?? 'no reason given'}`));
    });
    child.once('close', (code, endedBy) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(printed.toString('utf8'));
      else
        reject(
          new Error(
            `key_command ended with ${endedBy ?? `exit code ${code ?? 'unknown'}`}; run it yourself to see why`,
          ),
        );
    });
  });
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (thrown) {
    // By then it may have ended by itself.
    if (systemErrorCode(thrown) !== 'ESRCH') throw thrown;
  }
}

/** What does not fit into a header cannot be a key: an error page, a whole JSON document. */
function readKey(printed: string): string {
  const key = printed.trim();
  if (key === '') throw new Error('key_command printed nothing');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error('key_command printed something else than a key: it must be one word');
  return key;
}
