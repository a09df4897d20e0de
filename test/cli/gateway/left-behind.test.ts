import { test } from 'node:test';
import { noBrowser } from '../../support/browser.ts';
import { liveThrough } from './live-through.ts';

const skip = process.platform === 'linux' ? noBrowser : 'processes and file handles are listed from /proc';

test(
  '30 turns with a browser, shells, background processes and an MCP server, through a restart and a kill, leave no process, file handle or temporary file',
  { skip, timeout: 300_000 },
  async (t) => {
    t.diagnostic(JSON.stringify(await liveThrough(30)));
  },
);
