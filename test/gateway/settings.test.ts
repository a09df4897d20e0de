import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

/** Edits the settings file while the program runs. */
async function edit(house: TestHouse, change: (settings: Record<string, JsonObject>) => void): Promise<void> {
  const path = join(house.home, 'config.json');
  const settings = JSON.parse(await readFile(path, 'utf8')) as Record<string, JsonObject>;
  change(settings);
  await writeFile(path, JSON.stringify(settings));
}

function connections(house: TestHouse): readonly number[] {
  return house.server.requests.map(({ connection }) => connection);
}

// Three fifths of the window that the test configures.
const long = 'word '.repeat(9_600);

async function setThreshold(house: TestHouse, threshold: number): Promise<void> {
  await edit(house, (settings) => {
    settings['model'] = { ...settings['model'], context_length: 20_000 };
    settings['compression'] = { threshold, protect_last_n: 1 };
  });
}

test('S19 an edit of compression.threshold between two messages builds a new agent that runs with the new value', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await setThreshold(house, 0.5);
  await house.say('hi');

  await setThreshold(house, 0.75);
  await house.say(long);
  await house.say('and on');
  const [types, seen] = [await house.logTypes(), connections(house)];
  await setThreshold(house, 0.5);
  await house.say('once more');

  assert.ok(!types.includes('context.compacted'));
  // Every agent has connections of its own.
  assert.deepEqual(seen, [1, 2, 2]);
  assert.ok((await house.logTypes()).includes('context.compacted'));
  assert.equal(connections(house).at(-1), 3);
});

test('other settings are taken over by the agent that is there: steps, effort and aliases', async () => {
  const call = callsTool('read_file', { path: 'missing' });
  await using house = await openTestHouse({ script: [says('Hello.'), call, call, says('Enough.')] });
  await house.say('hi');

  await edit(house, (settings) => {
    settings['agent'] = { max_turns: 2 };
    settings['model'] = { ...settings['model'], aliases: { quick: 'custom:quick-one' }, reasoning_effort: 'low' };
  });
  await house.say('look for it');
  const asked = (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry.effort] : []));
  await house.admit('/model quick');

  // Two steps, and the one in which it is told to come to an end.
  assert.equal(asked.length, 4);
  assert.deepEqual(asked, [undefined, 'low', 'low', 'low']);
  assert.deepEqual(new Set(connections(house)), new Set([1]));
  assert.deepEqual((await house.session()).settings, { model: 'custom:quick-one' });
});

test('another price in the settings file is the one that the next question is answered with', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  const runtime = nameRuntime('custom', 'scripted');
  await house.say('hi');
  const before = await house.app.catalogue.price(runtime, 0);

  await edit(house, (settings) => {
    settings['prices'] = { 'custom:scripted': { input: 2, output: 3 } };
  });
  await house.say('and now?');

  assert.equal(before, undefined);
  assert.deepEqual(await house.app.catalogue.price(runtime, 0), {
    input: 2_000_000,
    output: 3_000_000,
    cacheRead: undefined,
    cacheWrite: undefined,
  });
});

test('another model in the settings file answers the next message', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('hi');

  await edit(house, (settings) => {
    settings['model'] = { ...settings['model'], default: 'another' };
  });
  await house.say('and now?');

  assert.deepEqual(
    house.server.requests.map(({ json }) => json?.['model']),
    ['scripted', 'another'],
  );
});

test('a chat is told once which model answers after an edit, and the model is not', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  const use = (name: string): Promise<void> =>
    edit(house, (settings) => {
      settings['model'] = { ...settings['model'], default: name };
    });
  const notices = (): readonly string[] => house.shown.flatMap(({ kind, text }) => (kind === 'notice' ? [text] : []));
  await use('first');
  await house.say('hi');
  const early = notices();

  await use('second');
  await house.say('and now?');
  await house.say('and again?');
  await house.admit('/model third --global --no-check');
  await house.say('and so?');
  await house.admit('/model fourth');
  await house.say('only here?');

  const told = 'model is now custom:second (config.json changed)';
  assert.deepEqual(early, ['model is now custom:first (config.json changed)']);
  assert.deepEqual(
    notices().filter((text) => text.startsWith('model is now')),
    [...early, told],
  );
  assert.equal(house.server.requests.at(-1)?.json?.['model'], 'fourth');
  assert.ok(!house.server.requests.some(({ body }) => body.includes('model is now')));
});

test('a broken edit is said once and changes nothing: the same agent answers', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('hi');

  await writeFile(join(house.home, 'config.json'), '{ "model": ');
  await house.say('one');
  await house.say('two');

  const notices = house.shown.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? '', /config\.json:1:\d+: .*; the settings from before are used until this is mended$/);
  assert.deepEqual(connections(house), [1, 1, 1]);
});

test('a command sees the settings as they are now', async () => {
  await using house = await openTestHouse({ script: [] });
  await edit(house, (settings) => {
    settings['model'] = { ...settings['model'], default: 'another' };
  });

  const intake = await house.gateway.takeIn({
    type: 'message',
    key: { platform: 'terminal', account: 'local', chat: 'house', messageId: 'm1', revision: 0 },
    address: house.address,
    person: 'owner' as never,
    parts: [{ type: 'text', text: '/status' }],
    workdir: house.workdir,
  });

  assert.match(intake.type === 'commanded' ? intake.reply : '', /^model {4}custom:another$/m);
});
