/**
 * A program that runs shell commands on an ssh host, all at once, for tests that kill it. Arguments: home, workdir,
 * session, the settings of the host, and the commands as JSON. Prints the lines that are shown of them.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { CallId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import type { SshSettings } from '../../src/model/terminal-settings.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';

const [homeFolder = '', workdir = '', sessionId = '', ssh = '', commands = ''] = process.argv.slice(2);
const taskFolder = join(homeFolder, 'tasks');
const toolbox = createToolbox({
  taskFolder,
  homeFolder,
  checkpoints: new Checkpoints({ taskFolder, clock: systemClock }),
  terminal: { timeoutMs: 60_000, envPassthrough: [], backend: 'ssh', ssh: JSON.parse(ssh) as SshSettings },
  environment: { PATH: process.env['PATH'] },
  clock: systemClock,
});
await Promise.all(
  (JSON.parse(commands) as readonly string[]).map(async (command, index) => {
    await toolbox.tools.get('terminal')?.run(
      { command },
      {
        sessionId: sessionId as SessionId,
        workdir,
        turnId: 'trn_child' as TurnId,
        callId: 'call' as CallId,
        person: 'ann' as PersonId,
        signal: new AbortController().signal,
        idempotencyKey: `call-${index}`,
        progress: (text) => process.stdout.write(`${text}\n`),
        ask: () => Promise.resolve({ type: 'nobody' }),
        keepImage: () => Promise.resolve('no model sees it'),
        readBlob: () => Promise.resolve(undefined),
      },
    );
  }),
);
