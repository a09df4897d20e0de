import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openServers, published } from '../test/tools/mcp/open-servers.ts';
import type { Figure } from './figure.ts';
import { medianTimes } from './measure.ts';

const calls = 20;
const rounds = 25;

/** A call of a tool of a published server, from its arguments to an outcome, beside the library's bare client. */
export async function measureMcpCall(): Promise<readonly Figure[]> {
  await using bench = await openServers(() => ({ all: published('everything', [], { trust: true }) }));
  await bench.servers.prepare();
  const root = join(import.meta.dirname, '..', 'node_modules', '@modelcontextprotocol');
  const program = join(root, 'server-everything', 'dist', 'index.js');
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], stderr: 'ignore' }));
  await client.listTools();
  const times = await medianTimes(
    {
      ours: () => repeat(() => bench.run('mcp_all_echo', { message: 'measured' })),
      bare: () => repeat(() => client.callTool({ name: 'echo', arguments: { message: 'measured' } })),
    },
    rounds,
  );
  await client.close();
  return [
    {
      name: 'an MCP call',
      value: times.ours / calls,
      unit: 'ms',
      floor: { name: "the library's bare client", value: times.bare / calls },
      bar: { type: 'none' },
    },
  ];
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let call = 0; call < calls; call += 1) await work();
}
