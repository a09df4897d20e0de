import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Rendered, RenderJob } from './render-job.ts';

const timeLimitMs = 20_000;
const mostMegabytes = 384;

/** Does a job in a thread of its own, which is ended after some time, when it takes too much memory, and by the signal. */
export async function renderApart(job: RenderJob, clock: Clock, signal: AbortSignal): Promise<Rendered> {
  signal.throwIfAborted();
  const worker = new Worker(workerFile(), {
    workerData: job,
    // It needs none, and secrets are in it.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const over = new AbortController();
  try {
    return await Promise.race([resultOf(worker), timeLimit(clock, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
    await worker.terminate();
    signal.throwIfAborted();
  }
}

/** Beside this file, in the sources as in what is built from them. */
function workerFile(): URL {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./render-worker.${ending}`, import.meta.url);
}

function resultOf(worker: Worker): Promise<Rendered> {
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (thrown) => {
      const isTooLarge = systemErrorCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY';
      resolve({ type: 'failed', reason: isTooLarge ? 'it takes too much memory to read' : describeError(thrown) });
    });
    worker.once('exit', () => resolve({ type: 'failed', reason: 'it could not be read' }));
  });
}

async function timeLimit(clock: Clock, signal: AbortSignal): Promise<Rendered> {
  try {
    await clock.sleep(timeLimitMs, signal);
    return { type: 'failed', reason: 'it takes too long to read' };
  } catch {
    // The job is done, or nobody wants it any more; the caller knows which.
    return { type: 'failed', reason: 'nobody waits for it' };
  }
}
