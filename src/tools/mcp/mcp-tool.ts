import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import { removeInvisible } from '../../base/remove-invisible.ts';
import type { McpServerSettings } from '../../model/mcp-settings.ts';
import type { Schema } from '../../model/schema.ts';
import type { Tool, ToolContext, ToolEffect } from '../../model/tool.ts';
import { cut, settle, spellOut, spellOutLine } from '../tool-outcomes.ts';
import type { RemoteResult, RemoteTool } from './connection.ts';
import type { McpServer } from './mcp-server.ts';
import type { Attachment } from './read-result.ts';
import { standingFor } from './standing-call.ts';
import { tidySchema } from './tidy-schema.ts';

const longestDescription = 4000;

export interface McpToolDeps {
  /** Where a session keeps files that its tools can read and send. */
  readonly folderOf: (sessionId: string) => string;
  readonly clock: Clock;
}

/** A tool of a server, as one of ours. */
export function createMcpTool(
  name: string,
  remote: RemoteTool,
  server: Pick<McpServer, 'name' | 'settings' | 'call'>,
  deps: McpToolDeps,
): Tool<JsonObject> {
  const isTrusted = trusts(server.settings, remote.name);
  const described = cut(removeInvisible(remote.description).text.trim(), longestDescription);
  return {
    name,
    toolset: server.name,
    server: server.name,
    description: described === '' ? `The tool ${remote.name} of the MCP server ${server.name}.` : described,
    input: describeInput(tidySchema(remote.inputSchema)),
    effect: isTrusted ? effectOf(remote) : 'unsafe',
    assess: (input) =>
      Promise.resolve(
        isTrusted
          ? { type: 'safe' }
          : { type: 'ask', question: askFor(server.name, remote, input), standing: standingFor(remote, server) },
      ),
    footprint: () => ({ type: 'anything' }),
    run: (input, context) =>
      settle(context.signal, async () => {
        const result = await callWatched(remote.name, input, server, { ...deps, context });
        const { readResult } = await import('./read-result.ts');
        const { idempotencyKey: key } = context;
        return await readResult(result, {
          server: server.name,
          key,
          keep: (attachments) => keep(attachments, context, deps),
        });
      }),
    verify: () => Promise.resolve('unknown'),
  };
}

interface Watching extends McpToolDeps {
  readonly context: ToolContext;
}

/** Shows now and then how far it is, and that it is still waited for. */
async function callWatched(
  tool: string,
  input: JsonObject,
  server: Pick<McpServer, 'settings' | 'call'>,
  { context, clock }: Watching,
): Promise<RemoteResult> {
  const { ProgressLines } = await import('../shell/progress-lines.ts');
  const lines = new ProgressLines(context.progress, clock);
  const over = new AbortController();
  const beats = lines.beat(AbortSignal.any([over.signal, context.signal]));
  try {
    const onProgress = (line: string): void => lines.saw(Buffer.from(line));
    const { timeoutMs } = server.settings;
    return await server.call({ tool, input, timeoutMs, onProgress, signal: context.signal });
  } finally {
    over.abort();
    await beats;
  }
}

async function keep(
  attachments: readonly Attachment[],
  { sessionId, idempotencyKey }: ToolContext,
  { folderOf }: McpToolDeps,
): Promise<readonly string[]> {
  if (attachments.length === 0) return [];
  const { keepAttachments } = await import('./keep-attachments.ts');
  const name = `mcp-${hash('sha256', idempotencyKey).slice(0, 16)}`;
  return await keepAttachments(attachments, folderOf(sessionId), name);
}

/** What a server says about its tools counts only where its user trusts it. */
function trusts({ trust }: McpServerSettings, tool: string): boolean {
  return trust === 'all' || trust.includes(tool);
}

function effectOf({ hints }: RemoteTool): ToolEffect {
  switch (hints) {
    case 'read-only':
      return 'reads';
    case 'idempotent':
      return 'idempotent';
    case 'none':
      return 'unsafe';
  }
}

function askFor(server: string, remote: RemoteTool, input: JsonObject): string {
  const written = spellOut(JSON.stringify(input, undefined, 2));
  return `call ${spellOutLine(remote.name)} of the MCP server ${server} with\n${written}`;
}

/** The server checks its own schema; what is looked at here is what can be said better before anyone is asked. */
function describeInput(json: JsonObject): Schema<JsonObject> {
  const required = json['required'] as readonly string[];
  return {
    json,
    isOptional: false,
    parse(value, path = []) {
      if (!isJsonObject(value)) return { type: 'invalid', problems: [{ path, message: 'must be a mapping' }] };
      const missing = required.filter((key) => value[key] === undefined);
      if (missing.length === 0) return { type: 'valid', value };
      return { type: 'invalid', problems: missing.map((key) => ({ path: [...path, key], message: 'is missing' })) };
    },
  };
}
