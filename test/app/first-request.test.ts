import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateTokenCount } from 'tokenx';
import { says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { openTestHouse } from '../support/test-house.ts';

const mostTokens = 4500;
const everyTool =
  'browser clarify patch process read_file search_files send_message terminal todo web_fetch web_search write_file';

interface Sent {
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

test('in a fresh home the whole first request of a terminal, with every tool, is of 4,500 tokens at most', async () => {
  await using house = await openTestHouse({ script: [says('Hello.')] });

  await house.say('hello');

  judge(house.server.requests[0]?.body ?? '');
});

test('in a fresh home the whole first request of Telegram, with every tool, is of 4,500 tokens at most', async () => {
  await using house = await openTelegramHouse({ script: [says('Hello.')] });

  house.telegram.say('hello');
  const { body } = await house.model.whenRequested(1);

  judge(body);
});

/** The bytes that left, as they were: prompt, tools and message. */
function judge(body: string): void {
  const names = new Set((JSON.parse(body) as Sent).tools.map((tool) => tool.function.name));
  const missing = everyTool.split(' ').filter((name) => !names.has(name));
  assert.deepEqual(missing, []);
  const tokens = estimateTokenCount(body);
  assert.ok(tokens <= mostTokens, `${tokens} tokens`);
}
