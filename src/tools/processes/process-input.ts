import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';

export type Written =
  | { readonly type: 'written' }
  /** The process reads nothing for the time being; so many bytes were taken. */
  | { readonly type: 'full'; readonly bytes: number }
  /** Nobody reads there any more. */
  | { readonly type: 'closed' };

const tickMs = 50;
const mostTicks = 60;

/** Writes into the pipe that a process reads. What does not fit is tried again for three seconds. */
export async function writeInput(pipe: string, text: string, signal: AbortSignal): Promise<Written> {
  const file = openForWriting(pipe);
  if (file === undefined) return { type: 'closed' };
  try {
    return await writeAll(file, Buffer.from(text), signal);
  } finally {
    closeSync(file);
  }
}

/** Without waiting for a reader: where there is none, none will come. */
function openForWriting(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (isOneOf(thrown, ['ENOENT', 'ENXIO'])) return undefined;
    throw thrown;
  }
}

async function writeAll(file: number, bytes: Buffer, signal: AbortSignal): Promise<Written> {
  let done = 0;
  for (let tick = 0; tick < mostTicks && !signal.aborted;) {
    try {
      done += writeSync(file, bytes, done);
      if (done === bytes.length) return { type: 'written' };
    } catch (thrown) {
      if (isOneOf(thrown, ['EPIPE'])) return { type: 'closed' };
      if (!isOneOf(thrown, ['EAGAIN'])) throw thrown;
      tick += 1;
      await systemClock.sleep(tickMs);
    }
  }
  return { type: 'full', bytes: done };
}

function isOneOf(thrown: unknown, codes: readonly string[]): boolean {
  return codes.includes(systemErrorCode(thrown) ?? '');
}
