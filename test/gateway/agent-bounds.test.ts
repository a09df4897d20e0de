import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../support/manual-clock.ts';
import { says } from '../support/model-script.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';

/** Every agent has connections of its own. */
function connectionsOf({ requests }: ModelServer): readonly number[] {
  return requests.map(({ connection }) => connection);
}

test('B4 a program that runs lets go of agents that are idle for longer than the settings say, by itself', async () => {
  const clock = new ManualClock();
  const settings = { agent_cache: { idle_ttl: 600 } };
  await using house = await openTestHouse({ script: () => says('Hello.'), settings, clock });
  await house.say('one');

  clock.advance(5 * 60_000);
  await house.say('two');
  clock.advance(11 * 60_000);
  await house.say('three');

  assert.deepEqual(connectionsOf(house.server), [1, 1, 2]);
});

test('B1 a gateway keeps as many agents as the settings say', async () => {
  await using house = await openTelegramHouse({
    script: ({ index }) => says(`Answer ${index}.`),
    telegram: { allow: [anna.id, ben.id] },
    settings: { agent_cache: { max_agents: 1 } },
  });
  const { telegram, model } = house;

  for (const [index, from] of [anna, anna, ben, anna].entries()) {
    telegram.say('hi', { from });
    await telegram.whenShown(from.id, (texts) => texts.includes(`Answer ${index}.`));
  }

  assert.deepEqual(connectionsOf(model), [1, 1, 2, 3]);
});
