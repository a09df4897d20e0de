import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateTokenCount } from 'tokenx';
import { openToolBench } from './open-toolbox.ts';

test('the tool list is small enough to be sent with every request', async () => {
  await using bench = await openToolBench();

  const list = [...bench.toolbox.tools.values()].map((tool) => {
    return {
      type: 'function',
      function: { name: tool.name, description: tool.description, parameters: tool.input.json },
    };
  });

  const tokens = estimateTokenCount(JSON.stringify(list));
  assert.ok(tokens <= 1800, `${tokens} tokens`);
});

test('the tools have the effects that decide what a crash may repeat', async () => {
  await using bench = await openToolBench();

  const effects = [...bench.toolbox.tools].map(([name, tool]) => [name, tool.name, tool.effect]);

  assert.deepEqual(effects, [
    ['terminal', 'terminal', 'unsafe'],
    ['process', 'process', 'unsafe'],
    ['read_file', 'read_file', 'reads'],
    ['write_file', 'write_file', 'verifiable'],
    ['patch', 'patch', 'verifiable'],
    ['search_files', 'search_files', 'reads'],
    ['web_fetch', 'web_fetch', 'reads'],
    ['web_search', 'web_search', 'reads'],
    ['browser', 'browser', 'unsafe'],
    ['todo', 'todo', 'idempotent'],
    ['clarify', 'clarify', 'idempotent'],
    ['send_message', 'send_message', 'keyed'],
  ]);
});
