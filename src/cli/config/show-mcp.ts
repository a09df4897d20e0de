import type { JsonObject } from '../../base/json.ts';
import type { McpOAuthSettings, McpPlace, McpServers, McpServerSettings } from '../../model/mcp-settings.ts';

/** MCP servers under the names that their settings have in the file. Pure. */
export function serversAsWritten(servers: McpServers): JsonObject {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, serverAsWritten(server)]));
}

function serverAsWritten(server: McpServerSettings): JsonObject {
  const { include, exclude, trust } = server;
  return {
    ...placeAsWritten(server.place),
    timeout: server.timeoutMs / 1000,
    connect_timeout: server.connectMs / 1000,
    enabled: server.isEnabled,
    trust: trust === 'all',
    tools: {
      include: include === undefined ? null : [...include],
      exclude: [...exclude],
      allow: trust === 'all' ? [] : [...trust],
    },
  };
}

function placeAsWritten(place: McpPlace): JsonObject {
  switch (place.type) {
    case 'stdio':
      return { command: place.command, args: [...place.args], env: withoutValues(place.env), cwd: place.cwd ?? null };
    case 'http':
      return { url: place.url, headers: withoutValues(place.headers), oauth: oauthAsWritten(place.oauth) };
    case 'nowhere':
      return {};
  }
}

function oauthAsWritten({ clientId, clientSecretEnv, scope, redirectPort }: McpOAuthSettings): JsonObject {
  return {
    client_id: clientId ?? null,
    client_secret_env: clientSecretEnv ?? null,
    scope: scope ?? null,
    redirect_port: redirectPort ?? null,
  };
}

/** The values may be keys, and what is shown may be passed on. */
function withoutValues(named: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.keys(named).map((name) => [name, '…']));
}
