import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectDeps } from '../../src/app/tool-servers.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { mcpServers } from '../../src/model/mcp-settings.ts';
import { FileMcpLogins } from '../../src/store/home/mcp-logins.ts';
import { logInAt } from '../../src/tools/mcp/oauth/log-in-at.ts';
import { agreeInBrowser } from '../support/agree-in-browser.ts';
import { AuthorisedSite } from '../support/authorised-site.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';

const howTo = 'talaria mcp login tides';

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** As another process would, on the same home. */
async function logIn(home: string, url: string): Promise<void> {
  const [server] = Object.values(mcpServers({ tides: { url } as never }));
  assert.ok(server);
  const logins = new FileMcpLogins(join(home, 'state', 'mcp-logins'));
  const found = await connectDeps({
    env: {},
    secrets: { get: () => undefined },
    logins,
    clock: systemClock,
    log: silentLog,
  });
  const wishes = { scope: undefined, person: agreeInBrowser() };
  assert.deepEqual(await logInAt('tides', server, wishes, { ...found, clock: systemClock }), { type: 'logged-in' });
}

test('MCP-19w a server that needs a login is told of once, to the model of each session and to the user, and is there with the message after the login', async () => {
  await using site = await AuthorisedSite.open();
  await using house = await openTestHouse({
    script: () => says('Yes.'),
    clock: new ManualClock(),
    settings: { mcp_servers: { tides: { url: site.url } } },
  });

  await house.say('one');
  await house.say('two');
  await house.restart();
  await house.say('three');
  const status = await house.admit('/status');
  await house.admit('/new');
  await house.say('four');
  await logIn(house.home, site.url);
  await house.say('five');

  const [, , third, fourth, fifth] = house.server.requests.map(({ body }) => body);
  assert.deepEqual([countOf(third ?? '', howTo), countOf(fourth ?? '', howTo)], [1, 1]);
  const notices = house.shown.filter(({ kind, text }) => kind === 'notice' && text.includes(howTo));
  assert.equal(notices.length, 1);
  assert.match(
    status.type === 'commanded' ? status.reply : '',
    /^mcp {6}tides: needs login: talaria mcp login tides$/m,
  );
  assert.ok(!fourth?.includes('mcp_tides_high_water') && fifth?.includes('mcp_tides_high_water'));
});
