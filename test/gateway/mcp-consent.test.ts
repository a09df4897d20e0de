import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { FileStandingRules } from '../../src/store/home/standing-rules.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';
import { peer } from '../tools/mcp/open-servers.ts';
import { command } from './say-commands.ts';

const echoed = 'echo of the MCP server sea, whatever it is given';

function echo(text: string): ReturnType<typeof callsTool> {
  return callsTool('mcp_sea_echo', { text });
}

function options(script: HouseOptions['script'], server: JsonObject): HouseOptions {
  return { script, consent: 'silence', clock: new ManualClock(), settings: { mcp_servers: { sea: server } } };
}

/** Says something that asks once, and answers in words. */
async function sayAndAnswer(house: TestHouse, text: string, answer: string): Promise<string> {
  const asked = house.whenAsked();
  await house.admit(text);
  const question = await asked;
  await command(house, answer);
  await house.whenIdle();
  return question.text;
}

function questions(house: TestHouse): number {
  return house.shown.filter(({ kind }) => kind === 'question').length;
}

test('a tool of a server is allowed for a session, whatever it is given, and no other tool of it is', async () => {
  await using notes = await makeTempFolder();
  const script = [echo('one'), echo('two'), says('Both.'), callsTool('mcp_sea_report', {}), says('No.')];
  await using house = await openTestHouse(options(script, peer('usual', notes.path)));

  const question = await sayAndAnswer(house, 'twice', '/approve session');
  const status = await command(house, '/status');
  const other = await sayAndAnswer(house, 'report', '/deny');

  assert.match(
    question,
    new RegExp(`^call echo of the MCP server sea with\\n[^]*\\nSession and Always are for: ${echoed}$`),
  );
  assert.match(
    status,
    new RegExp(`^allowed {2}1 kind of call in this session \\(/deny session takes it back\\):\n {9}${echoed}$`, 'm'),
  );
  assert.match(other, /^call report of the MCP server sea/);
  assert.equal(questions(house), 2);
  assert.match(house.server.requests[2]?.body ?? '', /two\\n<\/foreign-text/);
});

test('a tool that is allowed for good is listed, runs unasked in every session, and is asked about at another server of that name', async () => {
  await using notes = await makeTempFolder();
  const script = [echo('one'), says('One.'), echo('two'), says('Two.'), echo('three'), says('Three.')];
  const sea = peer('usual', notes.path, { env: { KEY: 'a-secret-of-mine' } });
  await using house = await openTestHouse(options(script, sea));

  await sayAndAnswer(house, 'once', '/approve always');
  await command(house, '/new');
  await house.say('again');
  const askedBefore = questions(house);
  await setServer(house, { ...sea, env: { KEY: 'another' } });
  const question = await sayAndAnswer(house, 'and there', '/deny');

  assert.equal(askedBefore, 1);
  assert.match(house.server.requests[3]?.body ?? '', /two\\n<\/foreign-text/);
  assert.match(question, /"three"/);
  const rulesFile = join(house.home, 'state', 'standing-rules.json');
  assert.deepEqual(
    new FileStandingRules(rulesFile).list().map(({ shown, by }) => [shown, by]),
    [[echoed, 'owner']],
  );
  assert.doesNotMatch(await readFile(rulesFile, 'utf8'), /a-secret-of-mine/);
});

async function setServer(house: TestHouse, sea: JsonObject): Promise<void> {
  const path = join(house.home, 'config.json');
  const settings = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
  await writeFile(path, JSON.stringify({ ...settings, mcp_servers: { sea } }));
}
