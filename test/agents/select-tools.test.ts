import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import { ourToolsets } from '../../src/model/toolsets.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function toolsOfLastRequest({ server }: TestHouse): readonly string[] {
  const tools = (server.requests.at(-1)?.json?.['tools'] ?? []) as readonly { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}

/** The tools that someone's message on a platform is answered with. */
async function toolsOn(platform: string, house: TestHouse): Promise<readonly string[]> {
  const { gateway, workdir, app } = house;
  const where = { platform, account: 'a', chat: '7' };
  const message = { address: { ...where, thread: '' }, person: `${platform}:7` as PersonId, workdir };
  const key = { ...where, messageId: newId('turn', Date.now()), revision: 0 };
  await gateway.takeIn({ type: 'message', key, ...message, parts: [textPart('hello')] });
  await gateway.whenIdle((await app.store.sessions.at(message)).id);
  return toolsOfLastRequest(house);
}

test('a platform gets the toolsets that the settings give it, beside the others, and one that is not named gets all', async () => {
  await using house = await openTestHouse({
    script: () => says('one'),
    settings: { platform_toolsets: { terminal: ['file'], webchat: [] }, telegram: { allow: [7] } },
  });

  const platforms = ['telegram', 'terminal', 'webchat', 'telegram'];
  const tools: (readonly string[])[] = [];
  for (const platform of platforms) tools.push(await toolsOn(platform, house));

  const [all = [], ...others] = tools;
  assert.ok(
    ['terminal', 'read_file', 'todo'].every((tool) => all.includes(tool)),
    all.join(', '),
  );
  assert.deepEqual(others, [['patch', 'read_file', 'search_files', 'write_file'], [], all]);
  assert.equal(house.server.requests.length, platforms.length);
});

test('what is turned off for all has the last word over what a platform gets', async () => {
  await using house = await openTestHouse({
    script: [says('one')],
    settings: { platform_toolsets: { terminal: ['file', 'terminal'] }, agent: { disabled_toolsets: ['file'] } },
  });

  await house.say('hello');

  assert.deepEqual(toolsOfLastRequest(house), ['process', 'terminal']);
});

test('every tool of ours is in a toolset whose name is known, so that it can be turned off and no server can take it', async () => {
  await using house = await openTestHouse({
    script: [says('one')],
    settings: { agent: { disabled_toolsets: [...ourToolsets] } },
  });

  await house.say('hello');

  assert.deepEqual(toolsOfLastRequest(house), []);
});
