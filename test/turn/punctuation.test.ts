import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, failsWith, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';

const wordy = failsWith(404, { error: { message: 'There is no such model. Ask for another one.' } });

test('what a server says with a full stop is followed by no second sign, in a notice and in a reply', async () => {
  await using other = await openTestHouse({ script: () => says('Hello.') });
  const fallback = { provider: 'custom', base_url: other.server.baseUrl, model: 'second' };
  await using house = await openTestHouse({ script: () => wordy, settings: { fallback } });
  await using alone = await openTestHouse({
    script: () => failsWith(400, { error: { message: 'This cannot be read.' } }),
  });

  await house.say('hi');
  const notices = house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  const reply = await alone.say('hi');

  assert.match(notices[0] ?? '', /Ask for another one; going on with custom:second$/);
  assert.match(reply, /: This cannot be read\.$/);
});

test('advice follows what a server says with a full stop as one sentence', async () => {
  await using house = await openTestHouse({ script: () => wordy });

  assert.match(await house.say('hi'), /Ask for another one; custom:scripted cannot be had there: /);
});

test('why a command never runs is told to the model in whole sentences, once', async () => {
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command: 'rm -rf ~' }), says('Then not.')],
  });

  await house.say('clean up');

  const [settled] = (await house.log()).flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome] : []));
  assert.ok(settled?.type === 'refused');
  assert.match(settled.reason, /^this command means deleting [^.]+\. This is never run; the user can do it by hand$/);
});
