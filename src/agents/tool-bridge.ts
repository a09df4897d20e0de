import { markForeign } from '../base/foreign-text.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { bridgeNames } from '../model/bridged-call.ts';
import type { ToolSearchSettings } from '../model/mcp-settings.ts';
import { textPart } from '../model/message.ts';
import { integer, object, optional, string } from '../model/schema.ts';
import type { Schema } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { rankTools } from './rank-tools.ts';
import type { SelectedTools } from './select-tools.ts';

const charactersPerToken = 4;
const thresholdWithoutWindow = 20_000;
const usualHits = 5;
const mostHits = 20;
const longestDescription = 400;

/**
 * The tools as an agent lists them: where those of servers are many, two stand in their place that find and call them. What
 * the agent can reach stays the same: nothing that was not selected can be called. Pure.
 */
export function bridgeTools(
  selected: SelectedTools,
  settings: ToolSearchSettings,
  window: number | undefined,
): SelectedTools {
  const remote = [...selected.tools.values()].filter(({ server }) => server !== undefined);
  if (remote.length === 0 || !isBridged(remote, settings, window)) return selected;
  const listed = [...selected.tools].filter(([, { server }]) => server === undefined);
  const bridges = [createSearch(remote), createCall(remote)] as readonly Tool[];
  return { ...selected, tools: new Map([...listed, ...bridges.map((tool) => [tool.name, tool] as const)]) };
}

function isBridged(
  remote: readonly Tool[],
  { mode, threshold }: ToolSearchSettings,
  window: number | undefined,
): boolean {
  switch (mode) {
    case 'on':
      return true;
    case 'off':
      return false;
    case 'auto': {
      const tokens = remote.reduce((sum, tool) => sum + weigh(tool), 0) / charactersPerToken;
      return tokens >= (window === undefined ? thresholdWithoutWindow : window * threshold);
    }
  }
}

function weigh({ name, description, input }: Tool): number {
  return JSON.stringify([name, description, input.json]).length;
}

const searchInput = object({
  query: string('what the tool should do, in a few words', { minLength: 1 }),
  limit: optional(integer(`how many to show, default ${usualHits}`, { minimum: 1, maximum: mostHits })),
});

function createSearch(remote: readonly Tool[]): Tool<{ readonly query: string; readonly limit: number | undefined }> {
  return {
    name: bridgeNames.search,
    toolset: bridgeNames.search,
    description: `Find tools of ${describeServers(remote)} by what they do. Call what you find with ${bridgeNames.call}.`,
    input: searchInput,
    effect: 'reads',
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: () => ({ type: 'files', paths: [] }),
    run: ({ query, limit = usualHits }, { idempotencyKey }) => {
      const hits = rankTools(query, remote, limit);
      const found = hits.map(describeTool).join('\n\n');
      const text =
        hits.length === 0 ? 'No tool fits; try other words.' : markForeign(found, 'MCP servers', idempotencyKey);
      return Promise.resolve({ type: 'done', parts: [textPart(text)] });
    },
    verify: () => Promise.resolve('unknown'),
  };
}

function describeServers(remote: readonly Tool[]): string {
  const counts = new Map<string, number>();
  for (const { server = '' } of remote) counts.set(server, (counts.get(server) ?? 0) + 1);
  const servers = [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return servers.map(([server, count]) => `${server} (${count})`).join(', ');
}

function describeTool({ name, description, input }: Tool): string {
  const short = description.length <= longestDescription ? description : `${description.slice(0, longestDescription)}…`;
  return `${name}: ${short.toWellFormed()}\narguments: ${JSON.stringify(input.json)}`;
}

interface BridgedInput {
  readonly name: string;
  readonly arguments: Json;
}

function createCall(remote: readonly Tool[]): Tool<BridgedInput> {
  const byName = new Map(remote.map((tool) => [tool.name, tool]));
  return {
    name: bridgeNames.call,
    toolset: bridgeNames.search,
    description: `Call a tool that ${bridgeNames.search} found.`,
    input: callInput,
    effect: 'unsafe',
    assess: () => Promise.resolve({ type: 'forbidden', reason: 'it stands for another tool, and does nothing itself' }),
    footprint: () => ({ type: 'anything' }),
    run: () => Promise.resolve({ type: 'failed', message: 'it stands for another tool, and does nothing itself' }),
    verify: () => Promise.resolve('unknown'),
    meant: (input) => {
      const tool = byName.get(input.name);
      return tool && { tool, input: input.arguments };
    },
  };
}

const callFields = object({ name: string('the name of the tool', { minLength: 1 }) });

const callJson: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'the name of the tool', minLength: 1 },
    arguments: { type: 'object', description: 'its arguments', properties: {}, additionalProperties: true },
  },
  required: ['name', 'arguments'],
};

/** The arguments are whatever the tool that is meant says. Some models write them as text. */
const callInput: Schema<BridgedInput> = {
  json: callJson,
  isOptional: false,
  parse(value, path = []) {
    const parsed = callFields.parse(value, path);
    if (parsed.type === 'invalid') return parsed;
    const written = isJsonObject(value) ? value['arguments'] : undefined;
    const input = typeof written === 'string' ? parseJson(written) : (written ?? {});
    if (!isJsonObject(input)) {
      return { type: 'invalid', problems: [{ path: [...path, 'arguments'], message: 'must be a mapping' }] };
    }
    return { type: 'valid', value: { name: parsed.value.name, arguments: input } };
  },
};
