import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ourToolsets } from '../../src/model/toolsets.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function toolsOfLastRequest({ server }: TestHouse): readonly string[] {
  const tools = (server.requests.at(-1)?.json?.['tools'] ?? []) as readonly { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}

test('a platform gets the toolsets that the settings give it, and one that is not named gets all', async () => {
  await using house = await openTestHouse({
    script: [says('one')],
    settings: { platform_toolsets: { terminal: ['file'], telegram: [] } },
  });

  await house.say('hello');

  assert.deepEqual(toolsOfLastRequest(house), ['patch', 'read_file', 'search_files', 'write_file']);
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
