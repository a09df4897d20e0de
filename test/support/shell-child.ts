/**
 * A program that runs a shell command, for tests that kill it. Arguments: home, workdir, session, the command and its time
 * limit in seconds; and `sandbox`, where it is to run in one. Prints the lines that are shown of the command while it runs.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { CallId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';
import { noPostbox } from './no-postbox.ts';
import { sandboxed } from './sandbox.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';

const [homeFolder = '', workdir = '', sessionId = '', command = '', timeout = '', place] = process.argv.slice(2);
const toolbox = createToolbox({
  taskFolder: join(homeFolder, 'tasks'),
  homeFolder,
  postbox: noPostbox,
  checkpoints: new Checkpoints({ taskFolder: join(homeFolder, 'tasks'), clock: systemClock }),
  terminal: { timeoutMs: 1000, envPassthrough: [], ...(place === 'sandbox' && { sandbox: sandboxed }) },
  environment: { PATH: process.env['PATH'] },
  clock: { ...systemClock, sleep: sleepForEver },
});
await toolbox.tools.get('terminal')?.run(
  { command, timeout: Number(timeout) },
  {
    sessionId: sessionId as SessionId,
    workdir,
    turnId: 'trn_child' as TurnId,
    callId: 'call' as CallId,
    person: 'ann' as PersonId,
    signal: new AbortController().signal,
    idempotencyKey: 'the-call',
    progress: (text) => process.stdout.write(text),
    ask: () => Promise.resolve({ type: 'nobody' }),
    keepImage: () => Promise.resolve('no model sees it'),
    readBlob: () => Promise.resolve(undefined),
  },
);

/** Only a runner ends a command in time. */
async function sleepForEver(_ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
}
