import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeTools } from '../../src/agents/tool-bridge.ts';
import type { SelectedTools } from '../../src/agents/select-tools.ts';
import type { CallId } from '../../src/base/ids.ts';
import { underlyingCall } from '../../src/model/bridged-call.ts';
import { outcomeToText } from '../../src/model/message.ts';
import { object, string } from '../../src/model/schema.ts';
import type { Tool } from '../../src/model/tool.ts';
import { prepareCall } from '../../src/turn/prepare-call.ts';

function tool(name: string, description: string, server?: string): Tool {
  return {
    name,
    toolset: server ?? 'own',
    ...(server === undefined ? {} : { server }),
    description,
    input: object({ title: string('a title') }),
    effect: 'unsafe',
    assess: () => Promise.resolve({ type: 'ask', question: `run ${name}` }),
    footprint: () => ({ type: 'anything' }),
    run: () => Promise.resolve({ type: 'interrupted' }),
    verify: () => Promise.resolve('unknown'),
  };
}

const remote = [
  tool('mcp_hub_create_issue', 'Create an issue in a repository.', 'hub'),
  tool('mcp_hub_list_issues', 'List the issues of a repository.', 'hub'),
  tool('mcp_sea_tide', 'When the water is high.', 'sea'),
];
const selected: SelectedTools = {
  tools: new Map([tool('terminal', 'Run a command.'), ...remote].map((each) => [each.name, each])),
  toolsets: ['own', 'hub', 'sea'],
};
const place = { sessionId: 'session_1' as never, workdir: '/' };

function bridged(): ReadonlyMap<string, Tool> {
  return bridgeTools(selected, { mode: 'on', threshold: 0.1 }, undefined).tools;
}

function call(name: string, input: unknown): Parameters<typeof prepareCall>[0] {
  return { id: 'call_1' as CallId, name, arguments: JSON.stringify(input) };
}

test('tools of servers are listed until they take their share of the window', () => {
  const auto = (window: number | undefined): readonly string[] => [
    ...bridgeTools(selected, { mode: 'auto', threshold: 0.1 }, window).tools.keys(),
  ];

  assert.deepEqual(auto(200_000), [...selected.tools.keys()]);
  assert.deepEqual(auto(undefined), [...selected.tools.keys()]);
  assert.deepEqual(auto(1000), ['terminal', 'tool_search', 'tool_call']);
  assert.deepEqual(
    [...bridgeTools(selected, { mode: 'off', threshold: 0.1 }, 1000).tools.keys()],
    [...selected.tools.keys()],
  );
});

test('where there is no server there is no bridge', () => {
  const own: SelectedTools = { tools: new Map([['terminal', tool('terminal', 'Run a command.')]]), toolsets: ['own'] };

  assert.equal(bridgeTools(own, { mode: 'on', threshold: 0.1 }, 1000), own);
});

test('a search names the servers, finds by words, and shows what a call needs', async () => {
  const search = bridged().get('tool_search');

  const found = await search?.run({ query: 'list issues', limit: 2 }, {} as never);
  const nothing = await search?.run({ query: 'weather' }, {} as never);

  assert.match(search?.description ?? '', /hub \(2\), sea \(1\)/);
  const text = found === undefined ? '' : outcomeToText(found);
  assert.deepEqual(text.match(/mcp_\w+/g), ['mcp_hub_list_issues', 'mcp_hub_create_issue']);
  assert.match(text, /^<foreign-text [^]*"required":\["title"\]/);
  assert.equal(nothing && outcomeToText(nothing), 'No tool fits; try other words.');
});

test('a call through the bridge is weighed as the tool that it means', async () => {
  const direct = await prepareCall(call('mcp_sea_tide', { title: 'x' }), selected.tools, place);
  const through = await prepareCall(
    call('tool_call', { name: 'mcp_sea_tide', arguments: { title: 'x' } }),
    bridged(),
    place,
  );
  const asText = await prepareCall(
    call('tool_call', { name: 'mcp_sea_tide', arguments: '{"title":"x"}' }),
    bridged(),
    place,
  );

  assert.ok(direct.type === 'ready' && through.type === 'ready' && asText.type === 'ready');
  assert.deepEqual([through.tool.name, through.risk], ['mcp_sea_tide', { type: 'ask', question: 'run mcp_sea_tide' }]);
  assert.equal(through.digest, direct.digest);
  assert.equal(asText.digest, direct.digest);
});

for (const [what, input, message] of [
  ['a tool that is not behind the bridge', { name: 'terminal', arguments: {} }, /there is no tool of that name here/],
  ['the bridge itself', { name: 'tool_call', arguments: {} }, /there is no tool of that name here/],
  ['arguments that do not fit', { name: 'mcp_sea_tide', arguments: {} }, /arguments of mcp_sea_tide do not fit: title/],
  ['arguments that are none', { name: 'mcp_sea_tide', arguments: 'x' }, /arguments must be a mapping/],
] as const) {
  test(`through the bridge ${what} is refused`, async () => {
    const prepared = await prepareCall(call('tool_call', input), bridged(), place);

    assert.ok(prepared.type === 'unfit' && prepared.outcome.type === 'failed');
    assert.match(prepared.outcome.message, message);
  });
}

test('people are shown the tool that a call through the bridge means', () => {
  const written = call('tool_call', { name: 'mcp_sea_tide', arguments: { title: 'x' } });

  assert.deepEqual(underlyingCall(written), { ...written, name: 'mcp_sea_tide', arguments: '{"title":"x"}' });
  assert.equal(underlyingCall(call('terminal', {})).name, 'terminal');
});
