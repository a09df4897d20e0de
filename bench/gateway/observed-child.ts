import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from '../measure.ts';

/** What a process says of itself. */
export interface Vitals {
  readonly megabytes: number;
  /** How late the event loop was with what was due, in milliseconds: what 99 of 100 samples stayed under. */
  readonly loopDelayMs: number;
  readonly commits: number;
  /** What it took of the processor, in milliseconds. */
  readonly cpuMs: number;
}

/** A process that can be asked how it is. */
export interface ObservedChild extends AsyncDisposable {
  isRunning(): boolean;
  /** The first line that it prints. */
  readonly firstLine: Promise<string>;
  /** `tidy` has it collect its garbage first, and give back to the system what it does not need. Counts begin anew. */
  ask(how: 'as-it-is' | 'tidy'): Promise<Vitals>;
}

const sampleMs = 5;
// V8 holds back the pages that it has freed for eight seconds, lest it needs them again, and lets go of them with a collection.
const poolMs = 9000;

// Loaded before the program, which knows nothing of it. A commit counts where it changed something: only those wait for the disk.
const observe = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
const delay = monitorEventLoopDelay({ resolution: ${sampleMs} });
delay.enable();
let commits = 0;
let cpu = process.cpuUsage();
if (process.env.COUNT_COMMITS) {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const changes = prepare.call(this, 'SELECT total_changes() AS total');
    let before = changes.get().total;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const { total } = changes.get();
      if (total !== before) commits += 1;
      before = total;
      return run();
    };
    return statement;
  };
}
process.on('message', async (how) => {
  if (how === 'tidy') {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    for (let round = 0; round < 3; round += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, ${poolMs}));
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  const cpuMs = (user + system) / 1000;
  const loopDelayMs = Math.max(0, delay.percentile(99) / 1e6 - ${sampleMs});
  process.send({ megabytes: process.memoryUsage.rss() / 2 ** 20, loopDelayMs, commits, cpuMs });
  delay.reset();
  commits = 0;
});
// It must not outlive whoever measures it.
process.once('disconnect', () => process.exit());
process.channel.unref();
`;

/** Starts a program that goes on until it is disposed of. */
export function startObserved({ file, args, env = process.env, cwd }: Command): ObservedChild {
  const preload = `--import=data:text/javascript,${encodeURIComponent(observe)}`;
  const child = spawn(file, [preload, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const { stdout } = child;
  if (stdout === null) throw new Error(`${file} has no output`);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    isRunning,
    firstLine: once(stdout.setEncoding('utf8'), 'data').then(([text]) => String(text).trim()),
    async ask(how) {
      const answer = once(child, 'message');
      child.send(how);
      const [vitals] = (await answer) as [Vitals];
      return vitals;
    },
    async [Symbol.asyncDispose]() {
      if (!isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
