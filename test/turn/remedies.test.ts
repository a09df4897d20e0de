import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { callsTool, cutsAfter, failsWith, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function messagesOf(request: SeenRequest | undefined): readonly JsonObject[] {
  const messages = request?.json?.['messages'];
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

function lastMessage(house: TestHouse): JsonObject | undefined {
  return messagesOf(house.server.requests.at(-1)).at(-1);
}

function lastText(house: TestHouse): string {
  return JSON.stringify(lastMessage(house)?.['content']).slice(1, -1);
}

test('a tool call that is not JSON is asked for twice more before the model is told', async () => {
  const broken = callsTool('read_file', '{"path": "a.t', { id: 'c1' });
  await using house = await openTestHouse({ script: [broken, broken, broken, says('I see.')] });

  const reply = await house.say('read it');

  assert.equal(reply, 'I see.');
  const [first, second, third, fourth] = house.server.requests.map(({ body }) => body);
  assert.equal(second, first);
  assert.equal(third, first);
  assert.notEqual(fourth, first);
  assert.deepEqual(lastMessage(house), {
    role: 'tool',
    tool_call_id: 'c1',
    content: 'ERROR: the arguments are not a JSON object; write the call again, whole',
  });
});

test('a tool that does not exist is answered with the list of those that do', async () => {
  await using house = await openTestHouse({ script: [callsTool('fly_to_moon', {}), says('Sorry.')] });

  await house.say('fly');

  assert.match(lastText(house), /^ERROR: there is no tool named fly_to_moon; the tools are .*read_file/);
});

test('a tool name that is only spelled differently is understood', async () => {
  await using house = await openTestHouse({
    script: [callsTool('WriteFile', { path: 'a.txt', content: 'hi' }), says('Done.')],
  });

  await house.say('write');

  assert.equal(await readFile(join(house.workdir, 'a.txt'), 'utf8'), 'hi');
});

test('arguments that do not fit are answered with what is wrong with them', async () => {
  await using house = await openTestHouse({ script: [callsTool('write_file', { path: 'a.txt' }), says('Sorry.')] });

  await house.say('write');

  assert.equal(lastMessage(house)?.['content'], 'ERROR: the arguments do not fit: content is missing');
});

test('a model that calls what is not there three times in a row is stopped', async () => {
  await using house = await openTestHouse({ script: () => callsTool('fly_to_moon', {}) });

  const reply = await house.say('fly');

  assert.match(reply, /^That did not work: the model wrote calls that fit no tool three times in a row/);
  assert.equal(house.server.requests.length, 3);
});

test('empty answers are asked for twice more, then nudged once, then explained', async () => {
  await using house = await openTestHouse({ script: () => says('') });

  const reply = await house.say('hello?');

  assert.match(reply, /^That did not work: the model keeps giving empty answers/);
  assert.equal(house.server.requests.length, 6);
  assert.match(lastText(house), /^Your last answer was empty/);
});

test('an answer cut off by length is continued and joined', async () => {
  await using house = await openTestHouse({
    script: [says('It was a dark ', { finish: 'length' }), says('and stormy night.')],
  });

  const reply = await house.say('tell me');

  assert.equal(reply, 'It was a dark and stormy night.');
  assert.match(lastText(house), /^Your answer was cut off/);
});

test('a tool call cut off by length is never run, even if it looks whole', async () => {
  const cut = callsTool('terminal', { command: 'echo ran >> ledger' }, { finish: 'length' });
  await using house = await openTestHouse({ script: [cut, says('Never mind.')] });

  const reply = await house.say('go');

  assert.equal(reply, 'Never mind.');
  await assert.rejects(readFile(join(house.workdir, 'ledger')), { code: 'ENOENT' });
});

test('a used-up budget ends with one call without tools that asks for a summary', async () => {
  const look = callsTool('read_file', { path: 'missing.txt' });
  await using house = await openTestHouse({
    script: [look, look, says('Nothing found so far.')],
    settings: { agent: { max_turns: 2 } },
  });

  const reply = await house.say('look everywhere');

  assert.equal(reply, 'Nothing found so far.');
  const last = house.server.requests[2]?.json;
  assert.equal(last?.['tool_choice'], 'none');
  assert.match(lastText(house), /^You have used up the steps/);
  const settled = (await house.log()).at(-1)?.entry;
  assert.deepEqual(settled, {
    type: 'turn.settled',
    result: { type: 'replied', text: 'Nothing found so far.', ending: 'out-of-budget' },
  });
});

test('a failing server is tried again after a growing wait, and the answer then arrives', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTestHouse({
    script: [failsWith(503), cutsAfter(40, says('lost')), says('There you are.')],
    clock,
  });

  await house.admit('hello');
  const idle = house.whenIdle();
  for (const waitMs of [1000, 2000]) {
    await house.when((event) => event.type === 'notice' && event.text.includes(`in ${waitMs / 1000} s`));
    clock.advance(waitMs);
  }
  await idle;

  assert.equal(house.shown.at(-1)?.text, 'There you are.');
  assert.equal(house.server.requests.length, 3);
});

test('an error that will not go away is not tried again, and is explained', async () => {
  await using house = await openTestHouse({ script: [failsWith(401, { error: { message: 'no such key' } })] });

  const reply = await house.say('hello');

  assert.match(reply, /^That did not work: the model's server answered 401: .*no such key/);
  assert.equal(house.server.requests.length, 1);
});

test('servers that number their calls from zero in every answer do not confuse the log', async () => {
  const look = callsTool('read_file', { path: 'missing.txt' }, { id: 'call_0' });
  await using house = await openTestHouse({ script: [look, look, says('Done.')] });

  await house.say('look twice');

  const ids = messagesOf(house.server.requests.at(-1)).flatMap((message) =>
    message['role'] === 'tool' ? [message['tool_call_id']] : [],
  );
  assert.deepEqual(ids, ['call_0', 'call_0_2']);
});
