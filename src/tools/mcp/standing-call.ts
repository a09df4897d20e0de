import { hash } from 'node:crypto';
import { stableJson } from '../../base/json.ts';
import type { McpServerSettings } from '../../model/mcp-settings.ts';
import type { Standing } from '../../model/tool.ts';
import { spellOutLine } from '../tool-outcomes.ts';
import type { RemoteTool } from './connection.ts';

/**
 * What a yes to a call can cover beyond it: this tool of this server, whatever it is given. A server that is another program or
 * at another address by then, and a tool that describes itself differently, are asked about again. Of both only digests
 * are kept, since settings may hold keys. Pure.
 */
export function standingFor(
  remote: RemoteTool,
  { name: server, settings }: { readonly name: string; readonly settings: Pick<McpServerSettings, 'place'> },
): Standing {
  const { name, description, inputSchema } = remote;
  const covers = stableJson({
    tool: 'mcp',
    server,
    name,
    place: hash('sha256', JSON.stringify(settings.place)),
    definition: hash('sha256', stableJson({ description, inputSchema })),
  });
  const label = `${spellOutLine(name)} of ${server}`;
  return {
    covers,
    shown: `${spellOutLine(name)} of the MCP server ${server}, whatever it is given`,
    label,
    atMost: 'always',
  };
}
