import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A child process that runs a script of this folder and speaks in lines. Disposing of it kills it. */
export interface StoreChild extends AsyncDisposable {
  readonly pid: number;
  /** The next line that it prints. */
  line(): Promise<string>;
  kill(): Promise<void>;
  /** What it printed in all, once it has ended by itself. */
  ended(): Promise<{ readonly lines: readonly string[]; readonly code: number | null }>;
}

export function startChild(script: string, ...parameters: readonly string[]): StoreChild {
  const child = spawn(process.execPath, ['--expose-gc', join(import.meta.dirname, script), ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${script} ended without a line`);
      return next.value;
    },
    kill: () => kill(child, exited),
    async ended() {
      const printed: string[] = [];
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) printed.push(next.value);
      const [code] = (await exited) as [number | null];
      return { lines: printed, code };
    },
    [Symbol.asyncDispose]: () => kill(child, exited),
  };
}

async function kill(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}
