import type { ToolServerReport, ToolServerState } from '../model/tool-servers.ts';
import { isOwner } from './access.ts';
import type { CommandDeps, InboundMessage } from './command-deps.ts';
import { ownerOnly } from './program-commands.ts';

/** Connects to all MCP servers anew; every conversation takes their tools up with its next message. */
export async function runReload(inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  if (!(await isOwner(inbound, deps))) return ownerOnly;
  const servers = await deps.toolServers.reload();
  if (servers.length === 0) return 'The settings name no MCP server. `talaria mcp add` does.';
  return servers.map(describeServer).join('\n');
}

/** A server and how it stands, on one line. */
export function describeServer({ name, project, state }: ToolServerReport): string {
  return `${name}${project === undefined ? '' : ` (of ${project})`}: ${describeState(name, state)}`;
}

function describeState(name: string, state: ToolServerState): string {
  switch (state.type) {
    case 'connected':
      return `connected, ${state.tools} ${state.tools === 1 ? 'tool' : 'tools'}`;
    case 'connecting':
      return 'still connecting; its tools come when it is';
    case 'failing':
      return `not connected: ${state.problem}. It is tried again by itself`;
    case 'needs-login':
      return `needs login: talaria mcp login ${name}`;
    case 'off':
      return 'off';
  }
}
