import type { ProcessPort } from './app-port.ts';
import { exitCodeOfSignal } from './exit-codes.ts';

export interface StopWatch extends Disposable {
  /** Resolves with the exit code when the command is to end in good order. */
  readonly ended: Promise<number>;
}

/**
 * The first Ctrl-C is for whoever runs a turn. SIGTERM and SIGHUP end the command in good order. A second signal of any
 * kind ends the process at once: the log is all that the next start needs.
 */
export function watchStops(process: ProcessPort, interrupt: () => void): StopWatch {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isTold = false;
  const listening = process.onStopSignal((signal) => {
    if (isTold) process.exitNow(exitCodeOfSignal(signal));
    isTold = true;
    if (signal === 'SIGINT') interrupt();
    else resolve(exitCodeOfSignal(signal));
  });
  return { ended: promise, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}
