import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApiMode } from '../../src/model/runtime.ts';
import { callsToolsAnthropic, saysAnthropic } from '../support/anthropic-script.ts';
import { failsWith } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { callsToolsResponses, saysResponses } from '../support/responses-script.ts';
import { openTestHouse } from '../support/test-house.ts';

const note = { name: 'write_file', args: { path: 'note.txt', content: 'noted\n' }, id: 'c1' };

interface Protocol {
  readonly apiMode: ApiMode;
  readonly path: string;
  readonly script: readonly ModelStep[];
}

const protocols: readonly Protocol[] = [
  {
    apiMode: 'anthropic_messages',
    path: '/v1/messages',
    script: [callsToolsAnthropic([note]), saysAnthropic('Done.')],
  },
  { apiMode: 'codex_responses', path: '/v1/responses', script: [callsToolsResponses([note]), saysResponses('Done.')] },
];

for (const protocol of protocols) {
  test(`a whole turn with a tool goes over ${protocol.apiMode}`, async () => {
    await using house = await openTestHouse(protocol);

    const reply = await house.say('note it');

    assert.equal(reply, 'Done.');
    assert.equal(await readFile(join(house.workdir, 'note.txt'), 'utf8'), 'noted\n');
    assert.deepEqual(
      house.server.requests.map(({ path }) => path),
      [protocol.path, protocol.path],
    );
  });
}

test('F3 after a fallback to another protocol, the next turn speaks to the Anthropic primary with its key again', async () => {
  await using standIn = await startModelServer(() => saysResponses('stand-in'));
  await using primary = await startModelServer((_request, index) =>
    index === 0 ? failsWith(401) : saysAnthropic('primary'),
  );
  const model = {
    provider: 'custom',
    base_url: `${primary.origin}/v1`,
    default: 'first',
    api_mode: 'anthropic_messages',
  };
  const fallback = {
    provider: 'custom',
    base_url: `${standIn.origin}/v1`,
    model: 'second',
    api_mode: 'codex_responses',
    key_env: 'SECOND_KEY',
  };
  const env = { CUSTOM_API_KEY: 'key-of-anthropic', SECOND_KEY: 'key-of-the-other' };
  await using house = await openTestHouse({ script: [], settings: { model, fallback }, env });

  const replies = [await house.say('one'), await house.say('two')];

  assert.deepEqual(replies, ['stand-in', 'primary']);
  const keys = primary.requests.map(({ headers, path }) => [path, headers['x-api-key'], headers['authorization']]);
  assert.deepEqual(keys, [
    ['/v1/messages', 'key-of-anthropic', undefined],
    ['/v1/messages', 'key-of-anthropic', undefined],
  ]);
  assert.equal(standIn.requests[0]?.headers['x-api-key'], undefined);
  assert.equal(standIn.requests[0]?.headers['authorization'], 'Bearer key-of-the-other');
});
