import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionId } from '../../src/base/ids.ts';
import type { Tool } from '../../src/model/tool.ts';
import { object } from '../../src/model/schema.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';

function tool(name: string): Tool {
  return {
    name,
    toolset: 'test',
    description: name,
    input: object({}),
    effect: 'reads',
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: () => ({ type: 'anything' }),
    run: () => Promise.resolve({ type: 'done', parts: [] }),
    verify: () => Promise.resolve('unknown'),
  };
}

test('every change of the tools raises the generation, and a list that was taken before stays as it was', () => {
  const registry = new ToolRegistry();
  registry.put('one', { tools: [tool('a')] });
  const { tools: before, generation } = registry;
  registry.put('two', { tools: [tool('b')] });

  assert.deepEqual([...before.keys()], ['a']);
  assert.deepEqual([...registry.tools.keys()], ['a', 'b']);
  assert.equal(registry.generation, generation + 1);
});

test('a group whose tool has the name of another one is refused, and changes nothing', () => {
  const registry = new ToolRegistry();
  registry.put('one', { tools: [tool('a')] });
  const { tools, generation } = registry;

  assert.throws(() => registry.put('two', { tools: [tool('a')] }), /second tool named a/);
  assert.equal(registry.tools, tools);
  assert.equal(registry.generation, generation);
});

test('the end of a task reaches every group, and so does the end of the program', async () => {
  const told: string[] = [];
  const sessionId = 'ses_1' as SessionId;
  {
    await using registry = new ToolRegistry();
    for (const name of ['one', 'two']) {
      registry.put(name, {
        tools: [],
        endTask: (id) => Promise.resolve(void told.push(`${name} ends ${id}`)),
        close: () => Promise.resolve(void told.push(`${name} closes`)),
      });
    }
    await registry.endTask(sessionId);
  }

  assert.deepEqual(told, ['one ends ses_1', 'two ends ses_1', 'one closes', 'two closes']);
});
