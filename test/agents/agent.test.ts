import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function systemPromptOf(house: TestHouse, index: number): unknown {
  const messages = house.server.requests[index]?.json?.['messages'];
  const first = Array.isArray(messages) ? messages[0] : undefined;
  return isJsonObject(first) ? first['content'] : undefined;
}

test('a session goes on with the prompt that it was frozen with, even if a new one would read differently', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('hi');
  const session = await house.session();
  const frozen = await house.frozenPrompt();
  assert.ok(frozen);

  await house.app.store.sessions.freeze(session.id, { ...frozen, system: 'as it was when the session began' });
  await house.restart();
  await house.say('still there?');

  assert.equal(systemPromptOf(house, 1), 'as it was when the session began');
});

test('another signature freezes a new prompt', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('hi');
  const session = await house.session();
  const frozen = await house.frozenPrompt();
  assert.ok(frozen);

  await house.app.store.sessions.freeze(session.id, {
    ...frozen,
    signature: 'of another model',
    system: 'outdated',
  });
  await house.restart();
  await house.say('still there?');

  assert.equal(systemPromptOf(house, 1), systemPromptOf(house, 0));
});

test('the prompt names the folder, and says how steering looks', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  await house.say('hi');

  assert.match(String(systemPromptOf(house, 0)), new RegExp(`Working directory: ${house.workdir}`));
  assert.match(String(systemPromptOf(house, 0)), /<user-message>/);
});
