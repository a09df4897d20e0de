/**
 * A program that runs a shell command with a time limit of one second, for tests that kill it. Arguments: home, workdir. Prints
 * the process ids of the shell and of its parent.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { CallId, PersonId } from '../../src/base/ids.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';

const [homeFolder = '', workdir = ''] = process.argv.slice(2);
const toolbox = createToolbox({
  taskFolder: join(homeFolder, 'tasks'),
  homeFolder,
  terminal: { timeoutMs: 1000, envPassthrough: [] },
  environment: { PATH: process.env['PATH'] },
  clock: { ...systemClock, sleep: () => new Promise(() => {}) },
});
await toolbox.tools.get('terminal')?.run(
  { command: 'echo $$ $PPID; sleep 1000' },
  {
    sessionId: newId('session', Date.now()),
    workdir,
    callId: 'call' as CallId,
    person: 'ann' as PersonId,
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    progress: (text) => process.stdout.write(text),
    readBlob: () => Promise.resolve(undefined),
  },
);
