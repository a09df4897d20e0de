import { test } from 'node:test';
import { liveThrough } from '../cli/gateway/live-through.ts';

const turns = Math.round(Number(process.env['TALARIA_DEEP'] ?? 10_000) / 20);

test(`${turns} turns with a browser, shells, background processes and an MCP server, through a restart and a kill, leave no process, file handle or temporary file`, async (t) => {
  t.diagnostic(JSON.stringify(await liveThrough(turns)));
});
