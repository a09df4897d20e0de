import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { isJsonObject } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import { startProxy } from './network-setup.ts';

test('a proxy that stands in the .env file of the home is used for the model', async () => {
  await using server = await startModelServer([says('Hello from afar.')]);
  await using proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });
  await using house = await openTestHouse({
    script: [],
    settings: { model: { provider: 'custom', base_url: 'http://model.invalid/v1', default: 'scripted' } },
    prepareHome: (home) =>
      writeFile(join(home, '.env'), `http_proxy=http://127.0.0.1:${proxy.port}\n`, { mode: 0o600 }),
  });

  assert.equal(await house.say('hello'), 'Hello from afar.');
  assert.equal(proxy.seen[0]?.target, 'http://model.invalid/v1/chat/completions');
});

test('what DeepSeek thought before a call goes back with its result, in this turn and after a restart', async () => {
  await using server = await startModelServer([
    callsTool('terminal', { command: 'echo hi' }, { reasoning: 'I should greet.' }),
    says('Done.', { reasoning: 'It worked.' }),
    says('Again.'),
  ]);
  await using house = await openTestHouse({
    script: [],
    consent: 'approved',
    settings: { model: { provider: 'deepseek', base_url: server.origin, default: 'scripted', key_env: 'OWN_KEY' } },
    env: { OWN_KEY: 'test-key' },
  });

  await house.say('greet');
  await house.restart();
  await house.say('again');

  const thoughts = server.requests.map(({ json }) => {
    const messages: readonly unknown[] = Array.isArray(json?.['messages']) ? json['messages'] : [];
    const answers = messages.filter((message) => isJsonObject(message) && message['role'] === 'assistant');
    return answers.map((message) => (isJsonObject(message) ? message['reasoning_content'] : undefined));
  });
  assert.deepEqual(thoughts, [[], ['I should greet.'], ['I should greet.', 'It worked.']]);
});
