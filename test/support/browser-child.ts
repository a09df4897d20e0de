/**
 * A program that opens a page in the browser and stays, for tests that kill it. Arguments: home, session, the page and the
 * host that may be opened. Prints what the model would read.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { CallId, PersonId, SessionId } from '../../src/base/ids.ts';
import { checkConfig } from '../../src/model/config.ts';
import { outcomeToText } from '../../src/model/message.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';

const [homeFolder = '', sessionId = '', url = '', host = ''] = process.argv.slice(2);
const checked = checkConfig({ browser: { allow_private: host } });
if (checked.type === 'invalid') throw new Error('these settings are wrong');
const toolbox = createToolbox({
  taskFolder: join(homeFolder, 'tasks'),
  homeFolder,
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
    callId: 'call' as CallId,
    person: 'ann' as PersonId,
    signal: new AbortController().signal,
    idempotencyKey: 'the-call',
    progress: () => undefined,
    readBlob: () => Promise.resolve(undefined),
    keepImage: () => Promise.reject(new Error('there are no pictures here')),
  },
);
console.log(outcome === undefined ? 'there is no browser' : outcomeToText(outcome));
