import assert from 'node:assert/strict';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { failsWith, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

/** A program that prints another key each time: sk-printed-00000001, then …2, and so on. */
const program = `#!/bin/sh
echo run >> "$HOME/runs"
printf 'sk-printed-%08d\\n' "$(wc -l < "$HOME/runs")"
`;

const refused = failsWith(401, { error: { message: 'the token sk-printed-00000001 has expired' } });

function keyOf({ headers }: SeenRequest): string {
  return headers['authorization']?.replace('Bearer ', '') ?? 'no key';
}

interface KeyHouse {
  readonly isGood: (key: string) => boolean;
  readonly model?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
}

/** A house whose model server takes some keys only. The program for the key is `print-key` in the user's own folder. */
async function openKeyHouse({ isGood, model, env }: KeyHouse): Promise<TestHouse> {
  return await openTestHouse({
    script: (request) => (isGood(keyOf(request)) ? says(`with ${keyOf(request)}`) : refused),
    env: { ...env },
    prepareHome: async (home) => {
      const path = join(home, '..', 'print-key');
      await writeFile(path, program);
      await chmod(path, 0o755);
    },
    model: { key_command: '~/print-key', ...model },
  });
}

async function runs(house: TestHouse): Promise<number> {
  const text = await readFile(join(house.home, '..', 'runs'), 'utf8').catch(() => '');
  return text.split('\n').length - 1;
}

function notices(house: TestHouse): readonly string[] {
  return house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
}

test('a command prints the key when a call first needs it, and the key is kept', async () => {
  await using house = await openKeyHouse({ isGood: (key) => key === 'sk-printed-00000001' });
  const runsBefore = await runs(house);

  const replies = [await house.say('one'), await house.say('two')];

  assert.equal(runsBefore, 0);
  assert.deepEqual(replies, ['with sk-printed-00000001', 'with sk-printed-00000001']);
  assert.equal(await runs(house), 1);
});

test('a refused key is printed anew once, and the turn goes on with it in the same breath', async () => {
  await using house = await openKeyHouse({ isGood: (key) => key === 'sk-printed-00000002' });

  const reply = await house.say('hello');

  assert.equal(reply, 'with sk-printed-00000002');
  assert.equal(await runs(house), 2);
  assert.deepEqual(notices(house), [
    "the model's server answered 401: the token [redacted] has expired; key_command is run for a new key",
  ]);
  const failed = (await house.log()).flatMap(({ entry }) => (entry.type === 'step.failed' ? [entry.next] : []));
  assert.deepEqual(failed, [{ type: 'refresh-key' }]);
  const logs = await Promise.all(
    (await readdir(join(house.home, 'logs')).catch(() => [])).map((name) =>
      readFile(join(house.home, 'logs', name), 'utf8'),
    ),
  );
  assert.doesNotMatch(JSON.stringify([await house.log(), logs]), /sk-printed-00000001/);
});

test('a key that is refused again when it is new gives its place to the next key', async () => {
  await using house = await openKeyHouse({
    isGood: (key) => key === 'spare',
    model: { key_env: 'SPARE_KEY' },
    env: { SPARE_KEY: 'spare' },
  });

  const reply = await house.say('hello');

  assert.equal(reply, 'with spare');
  assert.deepEqual(house.server.requests.map(keyOf), ['sk-printed-00000001', 'sk-printed-00000002', 'spare']);
});

test('each of several commands has its key printed anew once before the turn gives up', async () => {
  await using house = await openKeyHouse({
    isGood: () => false,
    model: { key_command: ['~/print-key', '~/print-key #second'] },
  });

  const reply = await house.say('hello');

  assert.equal(await runs(house), 4);
  assert.match(reply, /check the key in key_command_2/);
});

test('a command that prints no key leaves the call to the next key, and is not waited for again in the next turn', async () => {
  await using house = await openKeyHouse({
    isGood: (key) => key === 'spare',
    model: { key_command: 'echo run >> ~/runs; exit 7', key_env: 'SPARE_KEY' },
    env: { SPARE_KEY: 'spare' },
  });

  const replies = [await house.say('one'), await house.say('two')];

  assert.deepEqual(replies, ['with spare', 'with spare']);
  assert.equal(await runs(house), 1);
  assert.deepEqual(notices(house), [
    "the model's client could not be made: key_command ended with exit code 7; run it yourself to see why; key SPARE_KEY takes over",
  ]);
});

test('a stop does not wait for the command that a turn waits for', async () => {
  await using house = await openKeyHouse({
    isGood: () => true,
    model: { key_command: 'echo run >> ~/runs; sleep 600' },
  });

  const asked = house.whenLogged('step.asked');
  await house.admit('hello');
  await asked;
  await house.admit('/stop');
  await house.whenIdle();

  const settled = (await house.log()).at(-1)?.entry;
  assert.equal(settled?.type === 'turn.settled' ? settled.result.type : undefined, 'interrupted');
});
