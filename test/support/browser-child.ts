/**
 * A program that opens a page in the browser and stays, for tests that kill it. Arguments: home, session, the page and the
 * host that may be opened. Prints what the model would read.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { CallId, PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { checkConfig } from '../../src/model/config.ts';
import { outcomeToText } from '../../src/model/message.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';

const [homeFolder = '', sessionId = '', url = '', host = ''] = process.argv.slice(2);
const checked = checkConfig({ browser: { allow_private: host } });
if (checked.type === 'invalid') throw new Error('these settings are wrong');
const toolbox = createToolbox({
  taskFolder: join(homeFolder, 'tasks'),
  homeFolder,
  checkpoints: new Checkpoints({ taskFolder: join(homeFolder, 'tasks'), clock: systemClock }),
  terminal: { timeoutMs: 1000, envPassthrough: [] },
  environment: { PATH: process.env['PATH'] },
  browser: {
    settings: () => checked.config.browser,
    redact: (text) => text,
    filesFolder: join(homeFolder, 'files'),
  },
  clock: systemClock,
});
const outcome = await toolbox.tools.get('browser')?.run(
  { action: 'open', url },
  {
    sessionId: sessionId as SessionId,
    workdir: homeFolder,
    turnId: 'trn_child' as TurnId,
    callId: 'call' as CallId,
    person: 'ann' as PersonId,
    signal: new AbortController().signal,
    idempotencyKey: 'the-call',
    progress: () => undefined,
    ask: () => Promise.resolve({ type: 'nobody' }),
    readBlob: () => Promise.resolve(undefined),
    keepImage: () => Promise.resolve('no model sees it'),
  },
);
console.log(outcome === undefined ? 'there is no browser' : outcomeToText(outcome));
