import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { signalGroup } from '../shell/process-group.ts';

export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

// The server runs in a process group of its own, together with a guard that holds the other end of a pipe of ours. When we
// are gone, however that came about, the guard reads its end, leaves the server a moment, and ends the whole group.
const script = `
exec 4<&0 < /dev/null
(trap '' TERM INT HUP; read -r _ <&3; sleep 2; kill -KILL 0) 4<&- > /dev/null 2>&1 &
"$@" <&4 3<&- 4<&- &
exec 3<&- 4<&-
wait $!
`;

const politeMs = 1500;
const termMs = 500;
const lastWordsMs = 500;

/** A program in a process group that never outlives us. */
export class GuardedProcess {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** How it ended, once all that it left behind is ended, too. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  constructor({ command, args, env, cwd }: GuardedCommand) {
    const child = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    const [stdin, stdout, stderr, lifeline] = child.stdio;
    if (stdin === null || stdout === null || stderr === null) throw new Error('a child without pipes');
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    // A pipe whose other end is gone says so here; that the process ended is told below.
    for (const stream of [stdin, stdout, stderr, lifeline]) stream?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => {
        this.#endGroup();
        const end = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
        void this.#hearOut(stderr).then(() => resolve(end));
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Lets it end by itself for a moment, then makes it. */
  async stop(): Promise<void> {
    this.stdin.end();
    if (await this.#isGoneWithin(politeMs)) return;
    this.#signal('SIGTERM');
    if (await this.#isGoneWithin(termMs)) return;
    this.#endGroup();
    await this.ended;
  }

  /** Without any waiting, for what does not keep to the protocol. */
  kill(): void {
    this.#endGroup();
  }

  /** Its last words may still be in the pipe; whoever left the group may hold that open for ever. */
  async #hearOut(stderr: Readable): Promise<void> {
    const late = setTimeout(() => stderr.destroy(), lastWordsMs);
    if (!stderr.closed) await new Promise((resolve) => stderr.once('close', resolve));
    clearTimeout(late);
    // The lifeline is never read, so that it would never be found closed.
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #endGroup(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, signal);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), ms);
    const isGone = await Promise.race([this.ended.then(() => true), late.promise]);
    clearTimeout(timer);
    return isGone;
  }
}
