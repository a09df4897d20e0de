import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openTrustDesk } from '../../src/app/trust-desk.ts';
import type { TrustLook } from '../../src/model/trust.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Address } from '../../src/model/session.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../support/model-script.ts';
import { whenGone } from '../support/processes.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';
import { peer } from '../tools/mcp/open-servers.ts';

/** A house whose working folder is a project. Its clock stands still, so that a message waits for servers as long as it takes. */
async function openProject(script: ModelScript, more: Partial<HouseOptions> = {}): Promise<TestHouse> {
  return await openTestHouse({ script, clock: new ManualClock(), ...more });
}

async function name(house: TestHouse, servers: JsonObject): Promise<void> {
  await writeFile(join(house.workdir, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
}

async function signatureAt({ app }: TestHouse, address: Address): Promise<string | undefined> {
  const session = await app.store.sessions.find(address);
  return session && (await app.store.sessions.frozenPrompt(session.id))?.signature;
}

async function trust(house: TestHouse): Promise<TrustLook> {
  const env = { TALARIA_HOME: house.home, HOME: dirname(house.home) };
  const desk = await openTrustDesk({ env, clock: systemClock });
  const look = await desk.look(house.workdir, 'one-project');
  if (look.type === 'seen') await desk.trust(look);
  return look;
}

function mcpToolsOf(request: SeenRequest | undefined): readonly string[] {
  const tools = request?.json?.['tools'] as readonly { readonly function: { readonly name: string } }[];
  return tools.map((tool) => tool.function.name).filter((tool) => tool.startsWith('mcp_'));
}

async function starts(house: TestHouse): Promise<readonly number[]> {
  const text = await readFile(join(house.workdir, 'starts'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

test('the servers of a project are used once its folder is trusted, as they are then, and only in its sessions', async () => {
  await using house = await openProject(() => says('Yes.'));
  await name(house, { sea: peer('usual', house.workdir) });
  const elsewhere = join(house.home, '..', 'elsewhere');
  await mkdir(elsewhere);

  await house.restart();
  const warned = house.warnings;
  await house.say('one');
  await trust(house);
  await house.say('two');
  await sayElsewhere(house, elsewhere);
  const [started = 0] = await starts(house);
  await name(house, { sea: peer('usual', house.workdir), wind: peer('usual', house.workdir) });
  await house.say('three');
  // Nobody waits for a server that is left; that it ends is what counts.
  await whenGone(started);
  await house.restart();
  const changed = house.warnings;
  await trust(house);
  await house.say('four');

  assert.deepEqual(
    house.server.requests.map((request) => mcpToolsOf(request).length),
    [0, 9, 0, 0, 18],
  );
  assert.equal(warned.length, 1);
  assert.match(
    warned[0] ?? '',
    /^\.mcp\.json is not read: .*\/work is not trusted\. To trust it: talaria trust .*\/work$/,
  );
  assert.equal(changed.length, 1);
  assert.match(
    changed[0] ?? '',
    /^\.mcp\.json in .*\/work is not used: it is not as it was trusted\..*: talaria trust .*\/work$/,
  );
});

async function sayElsewhere(house: TestHouse, workdir: string, messageId = 'm1'): Promise<void> {
  const address = { ...house.address, chat: 'elsewhere' };
  const person = 'owner' as PersonId;
  const key = { platform: 'terminal', account: 'local', chat: 'elsewhere', messageId, revision: 0 };
  const parts = [{ type: 'text', text: 'elsewhere' }] as const;
  await house.gateway.takeIn({ type: 'message', key, address, person, parts, workdir });
  const session = await house.app.store.sessions.at({ address, person, workdir });
  await house.gateway.whenIdle(session.id);
}

test('a project cannot let its tools run unasked, and gets none of our secrets; a name of the settings is theirs', async () => {
  await using house = await openProject([callsTool('mcp_wind_echo', { text: 'ahoy' }), says('Done.'), says('Yes.')], {
    env: { SITE_TOKEN: 'moonlight-over-water' },
    settings: { mcp_servers: { sea: { command: 'true', enabled: false } } },
  });
  const plain = peer('usual', house.workdir, { trust: true });
  const curious = peer('usual', house.workdir, { env: { TOKEN: '${SITE_TOKEN}' } });
  await name(house, { sea: plain, wind: plain, rain: curious });
  await trust(house);

  await house.say('call');
  const status = await house.admit('/status');

  assert.equal(house.shown.filter(({ kind }) => kind === 'question').length, 1);
  assert.match(house.server.requests[1]?.body ?? '', /\\nahoy\\n/);
  assert.deepEqual([...new Set(mcpToolsOf(house.server.requests[0]).map((tool) => tool.split('_')[1]))], ['wind']);
  const said = status.type === 'commanded' ? status.reply : '';
  assert.match(said, /^mcp {6}wind \(of .*\/work\): connected, 9 tools$/m);
  assert.match(said, /^mcp {6}rain \(of .*\/work\): not connected: SITE_TOKEN is not set for a project/m);
  assert.match(said, /^mcp {6}sea: off$/m);
});

test('what happens to the servers of a project costs a conversation elsewhere nothing', async () => {
  await using house = await openProject(() => says('Yes.'));
  const elsewhere = join(house.home, '..', 'elsewhere');
  await mkdir(elsewhere);
  await sayElsewhere(house, elsewhere);
  const address = { ...house.address, chat: 'elsewhere' };
  const before = await signatureAt(house, address);

  await name(house, { sea: peer('usual', house.workdir) });
  await trust(house);
  await house.say('here');
  await house.admit('/reload-mcp');
  await sayElsewhere(house, elsewhere, 'm2');
  const after = await signatureAt(house, address);

  assert.ok(before);
  assert.equal(after, before);
  assert.equal((await starts(house)).length, 2);
});

function skill(called: string, what: string): string {
  return `---\nname: ${called}\ndescription: ${what}\n---\nDo it.`;
}

test('the skills of a trusted project are listed behind those of the home, whose names come first', async () => {
  await using house = await openProject(() => says('Yes.'), {
    async prepareHome(home) {
      await mkdir(join(home, 'skills', 'tidy'), { recursive: true });
      await writeFile(join(home, 'skills', 'tidy', 'SKILL.md'), skill('tidy', 'Tidies up here.'));
    },
  });
  for (const folder of ['tidy', 'release']) {
    await mkdir(join(house.workdir, '.talaria', 'skills', folder), { recursive: true });
    const file = join(house.workdir, '.talaria', 'skills', folder, 'SKILL.md');
    await writeFile(file, skill(folder, `What the project says about ${folder}.`));
  }

  await house.restart();
  const warned = house.warnings;
  await house.say('one');
  const outcome = await trust(house);
  await house.say('two');

  const [one, two] = house.server.requests.map(({ body }) => body);
  assert.match(warned.join('\n'), /^\.talaria\/skills is not read: /);
  assert.doesNotMatch(one ?? '', /about release/);
  assert.match(
    two ?? '',
    /- tidy: Tidies up here\.\\nThe same of this project: .*\/work\/\.talaria\/skills\/NAME\/SKILL\.md\\n- release: What/,
  );
  assert.doesNotMatch(two ?? '', /says about tidy/);
  assert.deepEqual(outcome.type === 'seen' ? outcome.skills : [], ['release']);
});
