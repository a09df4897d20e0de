import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, failsWith, says, stallsAfter } from '../support/model-script.ts';
import type { AnswerOptions } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const prices = { 'custom:scripted': { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } };
const minuteMs = 60_000;

/** What the server says that an answer took. */
function took(read: number, cached: number, output: number, thought = 0): AnswerOptions {
  const usage: JsonObject = {
    prompt_tokens: read,
    completion_tokens: output,
    total_tokens: read + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  };
  return { usage };
}

async function command(house: TestHouse, text: string): Promise<string> {
  const messageId = newId('turn', Date.now());
  const intake = await house.gateway.takeIn({
    type: 'message',
    key: { platform: 'terminal', account: 'local', chat: 'house', messageId, revision: 0 },
    address: house.address,
    person: 'owner' as PersonId,
    parts: [{ type: 'text', text }],
    workdir: house.workdir,
  });
  assert.ok(intake.type === 'commanded');
  return intake.reply;
}

/** The numbered reasons of `/usage why`, without their numbers. */
async function reasonsIn(house: TestHouse): Promise<readonly string[]> {
  const [reasons = ''] = (await command(house, '/usage why')).split('\nIts calls:');
  return reasons.split('\n').flatMap((line) => /^\d+\. (.*)$/.exec(line)?.slice(1) ?? []);
}

test('/usage shows what this session and this day took, in tokens and money', async () => {
  const clock = new ManualClock();
  await using house = await openTestHouse({
    script: [
      says('Hello.', took(12_000, 0, 300)),
      says('Again.', took(12_400, 12_000, 100)),
      says('New.', took(900, 0, 10)),
    ],
    settings: { prices },
    clock,
  });
  await house.say('hello');
  clock.advance(26 * 60 * minuteMs);
  await house.say('and again');
  await command(house, '/new');
  const unused = await command(house, '/usage');
  await house.say('something else');

  assert.equal(unused.split('\n')[0], 'This session: no model was asked yet');
  assert.deepEqual((await command(house, '/usage')).split('\n'), [
    'This session: $0.0029',
    '  1 call, 0 % of what was read came from the cache',
    '  900 fresh, 0 cached, 0 written, 10 output',
    'Today, all sessions: $0.0092',
    '  2 calls, 90 % of what was read came from the cache',
    '  1.3k fresh, 12.0k cached, 0 written, 110 output',
  ]);
});

test('/usage says that a sum is a lower bound where one of its calls has no price', async () => {
  await using standIn = await startModelServer(() => says('stand-in', took(1000, 0, 10)));
  await using house = await openTestHouse({
    script: (_request, index) => (index === 0 ? says('Hello.', took(1000, 0, 100)) : failsWith(401)),
    settings: { prices, fallback: { provider: 'custom', base_url: `${standIn.origin}/v1`, model: 'dear' } },
  });
  await house.say('hello');
  await house.say('and again');

  const lines = (await command(house, '/usage')).split('\n');

  assert.equal(lines[0], 'This session: ≥ $0.0045 (1 call of unknown cost)');
  assert.match(lines.at(-1) ?? '', /^What custom:dear cost is not known: /);
});

test('/usage why names the most expensive reason first, and every call', async () => {
  await using house = await openTestHouse({
    script: [
      says('Hello.', took(20_000, 0, 300)),
      callsTool('terminal', { command: 'echo hi' }, took(20_500, 20_000, 2000, 1500)),
      says('Done.', took(23_000, 20_400, 100)),
    ],
    settings: { prices },
  });
  await house.say('hello');
  await house.say('say hi in the shell');

  const lines = (await command(house, '/usage why')).split('\n');

  assert.deepEqual(lines.slice(0, 8), [
    'The last turn: $0.0529 for 2 calls, 92 % of what was read came from the cache.',
    'Where it went, the most expensive first:',
    '1. about 43 %: 1.5k tokens were thoughts, which cost as much as words.',
    '2. about 23 %: 40.4k tokens were read from the cache, in 2 calls.',
    '3. about 18 %: 3.1k tokens were new: what was said, what tools returned, and its own answers.',
    '4. about 17 %: 600 tokens were written, in 2 calls.',
    'Its calls:',
    lines[7],
  ]);
  assert.match(
    lines[7] ?? '',
    /^1\. \d\d:\d\d:\d\d custom:scripted: read 20\.5k \(97 % cached\), wrote 2\.0k, \$0\.0375$/,
  );
  assert.match(
    lines[8] ?? '',
    /^2\. \d\d:\d\d:\d\d custom:scripted: read 23\.0k \(88 % cached\), wrote 100, \$0\.0154$/,
  );
});

test('/usage why names a pause that outlived the cache of the server, and not one that it survived', async () => {
  const clock = new ManualClock();
  await using house = await openTestHouse({
    script: [
      says('One.', took(20_000, 0, 10)),
      says('Two.', took(20_100, 20_000, 10)),
      says('Three.', took(20_200, 0, 10)),
    ],
    settings: { prices },
    clock,
  });
  await house.say('one');
  clock.advance(14 * minuteMs);
  await house.say('two');
  const survived = await reasonsIn(house);
  clock.advance(14 * minuteMs);
  await house.say('three');

  assert.doesNotMatch(survived.join('\n'), /run out/);
  assert.equal(
    (await reasonsIn(house))[0],
    "about 99 %: The server's cache had run out after a pause of 14 min: custom:scripted read 20.1k tokens anew.",
  );
});

test('/usage why does not blame a pause that the server was told to outlast', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer([
    says('One.', took(20_000, 10_000, 10)),
    says('Two.', took(20_200, 0, 10)),
  ]);
  const model = { provider: 'custom', base_url: `${server.origin}/v1`, default: 'scripted', cache_ttl: '1h' };
  await using house = await openTestHouse({ script: [], settings: { prices, model }, clock });
  await house.say('one');
  clock.advance(14 * minuteMs);
  await house.say('two');

  assert.equal(
    (await reasonsIn(house))[0],
    'about 99 %: custom:scripted did not have 20.0k unchanged tokens in its cache, and does not say why.',
  );
});

test('/usage why says that a server has reported no cache at all', async () => {
  await using house = await openTestHouse({
    script: [says('One.', took(5000, 0, 10)), says('Two.', took(5100, 0, 10))],
    settings: { prices },
  });
  await house.say('one');
  await house.say('two');

  assert.equal(
    (await reasonsIn(house))[0],
    'about 97 %: custom:scripted read 5.0k unchanged tokens anew: it has not reported a cache in this session.',
  );
});

test('/usage why tells of the fallback that began with an empty cache, and of the try before it', async () => {
  await using standIn = await startModelServer(() => says('stand-in', took(20_000, 0, 10)));
  await using house = await openTestHouse({
    script: () => failsWith(401, { error: { message: 'no such key' } }),
    settings: { prices, fallback: { provider: 'custom', base_url: `${standIn.origin}/v1`, model: 'second' } },
  });
  await house.say('hello');

  const [first = '', second = '', third = ''] = await reasonsIn(house);

  assert.match(
    first,
    /^about 100 %: It was the first request to custom:second, after custom:scripted failed \(.*401.*\): nothing of its 20\.0k tokens could be in a cache\.$/,
  );
  assert.match(second, /^under 1 %: 10 tokens were written/);
  assert.match(third, /^1 call to custom:scripted failed \(.*401.*\); what that took is not known\.$/);
  const all = await command(house, '/usage why');
  assert.match(all, /The shares are estimates: they go by how prices usually relate\./);
  assert.match(all, /1\. \S+ custom:scripted, failed, price unknown\n2\. \S+ custom:second: read 20\.0k/);
});

test('/usage why measures all models of a turn alike where the price of one is not known', async () => {
  await using standIn = await startModelServer(() => says('stand-in', took(20_000, 0, 0)));
  await using house = await openTestHouse({
    script: (_request, index) =>
      index === 0 ? callsTool('terminal', { command: 'true' }, took(20_000, 0, 0)) : failsWith(401),
    settings: { prices, fallback: { provider: 'custom', base_url: `${standIn.origin}/v1`, model: 'second' } },
  });
  await house.say('hello');

  const [first = '', second = ''] = await reasonsIn(house);

  assert.match(first, /^about 50 %: It was the first request to custom:scripted: /);
  assert.match(second, /^about 50 %: It was the first request to custom:second, after custom:scripted failed /);
});

test('/usage why names what changed in the prompt, and the first byte that did', async () => {
  await using house = await openTestHouse({
    script: [
      says('One.', took(20_000, 0, 10)),
      says('Two.', took(20_050, 0, 10)),
      says('Three.', took(20_100, 2000, 10)),
    ],
    settings: { prices },
  });
  await house.say('one');
  const session = await house.session();
  const frozen = await house.frozenPrompt();
  assert.ok(frozen);
  const older = { ...frozen, tools: frozen.tools.filter(({ name }) => name !== 'patch') };
  await house.app.store.sessions.freeze(session.id, older);
  await house.restart();
  await house.say('two');
  await house.app.store.sessions.freeze(session.id, { ...older, signature: 'of other settings' });
  await house.restart();
  await house.say('three');

  const [reason = ''] = await reasonsIn(house);

  const asked = (await house.log()).findLast(({ entry }) => entry.type === 'step.asked')?.entry;
  const byte = asked?.type === 'step.asked' ? (asked.change?.byte ?? 0) : 0;
  assert.ok(byte > 0);
  const where = byte.toLocaleString('en-US');
  assert.equal(
    reason,
    `about 98 %: The tool list changed: patch added: custom:scripted read 18.1k tokens anew (the first byte that changed is ${where}).`,
  );
});

test('/usage why tells of a compaction: what the summary took, and what had to be read anew after it', async () => {
  const long = 'All about penguins. '.repeat(400);
  await using house = await openTestHouse({
    script: [
      ...Array.from({ length: 4 }, () => says(long, took(20_000, 19_000, 1000))),
      says('They spoke of penguins.', took(20_000, 0, 50)),
      says('Go on.', took(6000, 1000, 10)),
    ],
    settings: { prices },
  });
  for (const word of ['one', 'two', 'three', 'four']) await house.say(word);
  await house.say('/compact');
  const [summary] = await reasonsIn(house);
  await house.say('five');

  const [reason = ''] = await reasonsIn(house);

  assert.equal(
    summary,
    'about 100 %: The conversation was shortened: custom:scripted read 20.0k tokens and wrote 50 about them.',
  );
  assert.match(
    reason,
    /^about 97 %: The conversation was shortened: custom:scripted read 5\.0k tokens anew \(the first byte/,
  );
});

test('/usage why counts an answer that could not be used', async () => {
  await using house = await openTestHouse({
    script: [says('', took(20_000, 0, 0)), says('Now.', took(20_000, 20_000, 10))],
    settings: { prices },
  });
  await house.say('hello');

  const reasons = await reasonsIn(house);

  assert.match(
    reasons[0] ?? '',
    /^about 91 %: 20\.0k tokens went into 1 call to custom:scripted that could not be used \(/,
  );
});

test('/usage why has nothing to explain before a model was asked, and /usage takes no other word', async () => {
  await using house = await openTestHouse({ script: [] });

  assert.equal(await command(house, '/usage why'), 'No model was asked in this session yet.');
  assert.equal(await command(house, '/usage when'), 'Say it like this: /usage, or /usage why');
});

test('/usage after a stopped answer says that nobody counted it, and asks for no price that is known', async () => {
  await using house = await openTestHouse({
    script: [says('Hello.', took(1000, 0, 100)), stallsAfter(0, says('never'))],
    settings: { prices },
  });
  await house.say('hello');
  await house.admit('and now?');
  await house.server.whenStalled();
  await house.admit('/stop');
  await house.whenIdle();

  const lines = (await command(house, '/usage')).split('\n');

  assert.equal(lines[0], 'This session: ≥ $0.0045 (1 call of unknown cost)');
  assert.equal(lines.at(-1), "1 call ended without the server's count: stopped, broken off, or not counted there.");
});
