import type { PrintedKey } from '../model/runtime.ts';

/** Runs a command and gives what it printed. Rejects where that is no key, with a reason that is fit to show. */
export type PrintKey = (command: string, signal: AbortSignal) => Promise<string>;

/**
 * The keys that commands of the settings print, one for each command: runtimes with the same command share its key, and
 * whoever asks while it runs waits for the same run.
 */
export class PrintedKeys {
  readonly #print: PrintKey;
  readonly #keys = new Map<string, KeptKey>();
  readonly #everPrinted = new Set<string>();

  constructor(print: PrintKey) {
    this.#print = print;
  }

  of(command: string): PrintedKey {
    const key = this.#keys.get(command) ?? new KeptKey(command, (signal) => this.#printAndNote(command, signal));
    this.#keys.set(command, key);
    return key;
  }

  /** Every key that was printed so far. None of them must appear in any log, not even one that is refused by now. */
  values(): readonly string[] {
    return [...this.#everPrinted];
  }

  async #printAndNote(command: string, signal: AbortSignal): Promise<string> {
    const key = await this.#print(command, signal);
    this.#everPrinted.add(key);
    return key;
  }
}

interface Run {
  readonly printed: Promise<string>;
  readonly stopping: AbortController;
  waiting: number;
}

class KeptKey implements PrintedKey {
  readonly command: string;
  readonly #print: (signal: AbortSignal) => Promise<string>;
  #kept: string | undefined;
  #run: Run | undefined;

  constructor(command: string, print: (signal: AbortSignal) => Promise<string>) {
    this.command = command;
    this.#print = print;
  }

  async obtain(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (this.#kept !== undefined) return this.#kept;
    const run = (this.#run ??= this.#start());
    run.waiting += 1;
    try {
      return await unlessAborted(run.printed, signal);
    } finally {
      run.waiting -= 1;
      if (run.waiting === 0) this.#end(run);
    }
  }

  discard(): void {
    this.#kept = undefined;
  }

  #start(): Run {
    const stopping = new AbortController();
    const printed = this.#print(stopping.signal).then((key) => (this.#kept = key));
    return { printed, stopping, waiting: 0 };
  }

  /** A command that nobody waits for any more is not left running, and its failure is not the next one's. */
  #end(run: Run): void {
    run.stopping.abort();
    if (this.#run === run) this.#run = undefined;
  }
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
