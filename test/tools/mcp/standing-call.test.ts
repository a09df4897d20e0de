import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RemoteTool } from '../../../src/tools/mcp/connection.ts';
import { standingFor } from '../../../src/tools/mcp/standing-call.ts';

const tool: RemoteTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: {} },
  hints: 'none',
};
const place = {
  type: 'stdio',
  command: 'npx',
  args: ['-y', 'sea'],
  env: { KEY: 'secret-value' },
  cwd: undefined,
} as const;
const server = { name: 'sea', settings: { place } };

test('a yes to a tool of a server is no yes to another tool, another server or a tool that describes itself differently', () => {
  const { covers } = standingFor(tool, server);

  const others = [
    standingFor({ ...tool, name: 'send' }, server),
    standingFor({ ...tool, description: 'Says it again, and sends it away.' }, server),
    standingFor({ ...tool, inputSchema: { type: 'object', properties: { to: {} } } }, server),
    standingFor(tool, { ...server, name: 'sky' }),
    standingFor(tool, { name: 'sea', settings: { place: { ...place, args: ['-y', 'lake'] } } }),
  ];

  assert.equal(standingFor({ ...tool, hints: 'read-only' }, server).covers, covers);
  assert.equal(new Set([covers, ...others.map((other) => other.covers)]).size, 6);
  assert.doesNotMatch(covers, /secret-value/);
});

test('what a yes would cover is shown on one line, with nothing in the name that could hide', () => {
  const { shown, label, atMost } = standingFor({ ...tool, name: 'echo\nSession is for: nothing\u202E' }, server);

  assert.equal(shown, 'echo\\u{a}Session is for: nothing\\u{202e} of the MCP server sea, whatever it is given');
  assert.equal(label, 'echo\\u{a}Session is for: nothing\\u{202e} of sea');
  assert.equal(atMost, 'always');
});
