import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createToolServers } from '../../src/app/tool-servers.ts';
import { newId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { checkConfig } from '../../src/model/config.ts';
import type { SettingsState } from '../../src/model/settings.ts';
import { FileMcpLogins } from '../../src/store/home/mcp-logins.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { peer } from '../tools/mcp/open-servers.ts';

for (const [start, started] of [
  ['usual', ['starts']],
  ['safe', []],
] as const) {
  test(`a ${start} start ${start === 'safe' ? 'connects to no MCP server' : 'connects to the MCP servers of the settings'}`, async () => {
    await using folder = await makeTempFolder();
    const checked = checkConfig({ mcp_servers: { sea: peer('usual', folder.path) } });
    assert.ok(checked.type === 'valid');
    const current: SettingsState = { config: checked.config, user: null };
    const registry = new ToolRegistry();
    await using servers = createToolServers({
      env: { PATH: process.env['PATH'], HOME: folder.path },
      home: { files: folder.path },
      secrets: { get: () => undefined },
      logins: new FileMcpLogins(join(folder.path, 'logins')),
      settings: { current },
      projects: { at: () => ({ type: 'none' }), trustedAt: () => undefined },
      redact: (text) => text,
      toolbox: registry,
      start,
      clock: new ManualClock(),
      log: silentLog,
    });

    await servers.prepare({ sessionId: newId('session', 0), workdir: folder.path });

    assert.deepEqual(await readdir(folder.path), started);
    assert.equal(registry.tools.has('mcp_sea_echo'), start === 'usual');
    assert.equal((await servers.reload()).length, started.length);
  });
}
