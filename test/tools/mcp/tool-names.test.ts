import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameTools } from '../../../src/tools/mcp/tool-names.ts';

function namesOf(...tools: readonly (readonly [string, string])[]): readonly string[] {
  return [...nameTools(tools.map(([server, tool]) => ({ server, tool }))).keys()];
}

test('MCP-03 a tool is named for its server and itself, in characters that every vendor takes', () => {
  assert.deepEqual(namesOf(['git-hub', 'create issue'], ['sea', 'tïde.read']), [
    'mcp_git_hub_create_issue',
    'mcp_sea_t_de_read',
  ]);
});

test('tools that would get the same name all get another one, whoever comes first', () => {
  const one = namesOf(['a', 'x-y'], ['a', 'x_y'], ['b', 'z']);
  const other = namesOf(['a', 'x_y'], ['a', 'x-y'], ['b', 'z']);

  assert.equal(new Set(one).size, 3);
  assert.deepEqual(one.toSorted(), other.toSorted());
  assert.ok(one.includes('mcp_b_z') && !one.includes('mcp_a_x_y'));
});

test('a name that is too long is cut, and stays its own', () => {
  const [first = '', second = ''] = namesOf(['sea', `${'long'.repeat(30)}1`], ['sea', `${'long'.repeat(30)}2`]);

  assert.deepEqual([first.length, second.length], [64, 64]);
  assert.notEqual(first, second);
});
