/**
 * Our client as the official conformance runner starts it, with the address of its server as the last argument: it connects,
 * calls every tool that is listed once, and leaves.
 */
import { silentLog } from '../../src/base/log.ts';
import { mcpServers } from '../../src/model/mcp-settings.ts';
import { connectDeps } from '../../src/app/tool-servers.ts';
import { connectServer } from '../../src/tools/mcp/connect-server.ts';

const [settings] = Object.values(mcpServers({ scenario: { url: process.argv.at(-1) ?? '' } as never }));
if (settings === undefined) throw new Error('there is no address');
const deps = await connectDeps({ env: process.env, secrets: { get: () => undefined }, log: silentLog });
const { signal } = new AbortController();
const connection = await connectServer('scenario', settings, { ...deps, onTools: () => undefined }, signal);
for (const { name } of connection.tools) {
  const input = name === 'add_numbers' ? { a: 5, b: 3 } : {};
  const call = { tool: name, input, timeoutMs: 30_000, onProgress: () => undefined, signal };
  const result = await connection.call(call);
  process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
}
await connection.close();
