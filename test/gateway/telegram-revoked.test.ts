import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { PersonId } from '../../src/base/ids.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';

/** Leaves something running that says who it is, in a file by the name of whoever asked for it. */
function script({ json }: SeenRequest): ReturnType<typeof says> {
  const messages = (json?.['messages'] ?? []) as unknown as readonly { role: string; content: string }[];
  const last = messages.at(-1);
  if (last?.role === 'tool') return says('It runs.');
  const name = /^run for (\w+)$/.exec(last?.content ?? '')?.[1];
  const command = `echo $$ > ${name}.tmp; mv ${name}.tmp ${name}; exec sleep 300`;
  return name === undefined ? says('Well.') : callsTool('terminal', { command, background: true });
}

async function leaveRunning(house: TelegramHouse, name: string, from: typeof anna): Promise<number> {
  const { telegram } = house;
  telegram.say('/yolo on', { from });
  telegram.say(`run for ${name}`, { from });
  await telegram.whenShown(from.id, (texts) => texts.includes('It runs.'));
  const file = join(house.home, '..', name);
  while (!existsSync(file)) await nextTick();
  return Number(await readFile(file, 'utf8'));
}

async function letIn(house: TelegramHouse): Promise<void> {
  house.telegram.say('hi', { from: ben });
  const [offer = ''] = await house.telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
}

function textsFor({ telegram }: TelegramHouse, chat: number): readonly string[] {
  return telegram.shown(chat).map(({ text }) => text);
}

test('whose access is taken back, what they left running in the background ends, and nobody else’s; they are told nothing of it', async () => {
  await using house = await openTelegramHouse({ script });
  await letIn(house);
  const own = await leaveRunning(house, 'anna', anna);
  const theirs = await leaveRunning(house, 'ben', ben);
  const before = textsFor(house, ben.id);

  await house.ask({ type: 'revoke', person: `telegram:${ben.id}` });
  await whenGone(theirs);
  // At its end the gateway has said all that there was to say.
  const isLeft = await isRunning(own);
  await house.close();
  process.kill(own, 'SIGKILL');

  assert.equal(isLeft, true);
  assert.deepEqual(textsFor(house, ben.id), before);
});

test('what those left running whom an edit of the settings shuts out ends, too', async () => {
  await using house = await openTelegramHouse({ script, telegram: { allow: [anna.id, ben.id] } });
  const theirs = await leaveRunning(house, 'ben', ben);

  await house.configure({ allow: [anna.id] });
  house.telegram.say('hi', { from: anna });
  await whenGone(theirs);

  assert.ok(!textsFor(house, ben.id).some((text) => text.includes('has ended')));
});

test('what those left running whom an edit shuts out ends within seconds, though nobody says anything and no turn runs', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTelegramHouse({ script, clock, telegram: { allow: [anna.id, ben.id] } });
  const theirs = await leaveRunning(house, 'ben', ben);
  while (house.gateway.atWork() > 0) await nextTick();

  await house.configure({ allow: [anna.id] });
  clock.advance(5_000);

  await whenGone(theirs);
});

test('whoever has no access any more is not told that something of theirs has ended', async () => {
  await using house = await openTelegramHouse({ script });
  await letIn(house);
  const [theirs, own] = [await leaveRunning(house, 'ben', ben), await leaveRunning(house, 'anna', anna)];
  const { people, sessions, outbox } = house.app.store;
  await people.remove(`telegram:${ben.id}` as PersonId);

  for (const pid of [theirs, own]) {
    process.kill(pid, 'SIGKILL');
    await whenGone(pid);
  }
  // What was written for the one is there before the other has read theirs.
  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes('has ended')));

  const session = (await sessions.list({ limit: 9 })).find(({ address }) => address.chat === String(ben.id));
  assert.ok(session);
  const queued = (await outbox.after(session.id, 0)).map(({ message }) => message.text);
  assert.ok(queued.includes('It runs.'));
  assert.ok(!queued.some((text) => text.includes('background process')), queued.join('\n'));
});

test('what someone left running whose access was taken back while no gateway ran ends soon after the next start', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTelegramHouse({ script, clock });
  await letIn(house);
  const theirs = await leaveRunning(house, 'ben', ben);
  await house.app.store.people.remove(`telegram:${ben.id}` as PersonId);
  await house.close();
  await house.open();
  const isKept = await isRunning(theirs);

  clock.advance(60_000);
  await whenGone(theirs);

  assert.equal(isKept, true);
});
