import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { shortId } from '../../src/base/ids.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { openFakeEngine } from '../support/fake-container-engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';

interface Said {
  readonly role: string;
  readonly content: string;
}

/** Runs what it is told to run, and answers everything else. */
function script({ json }: SeenRequest): ReturnType<typeof says> {
  const messages = (json?.['messages'] ?? []) as unknown as readonly Said[];
  const last = messages.at(-1);
  if (last?.role === 'tool') return says('It ran.');
  const said = last?.content ?? '';
  return said.startsWith('run: ') ? callsTool('terminal', { command: said.slice(5) }) : says(`Re: ${said}`);
}

async function sessionOf({ app }: TelegramHouse, chat: number): Promise<SessionId> {
  const found = (await app.store.sessions.list({ limit: 10 })).find(({ address }) => address.chat === String(chat));
  assert.ok(found);
  return found.id;
}

async function run(house: TelegramHouse, command: string): Promise<SessionId> {
  house.telegram.say('/yolo on');
  house.telegram.say(`run: ${command}`);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('It ran.'));
  const session = await sessionOf(house, anna.id);
  await house.gateway.whenIdle(session);
  return session;
}

function hasTask({ home }: TelegramHouse, session: SessionId): boolean {
  return existsSync(join(home, 'tasks', session));
}

test('/new is answered at once, and so is everyone else, however long it takes to close what the old session has running', async () => {
  await using engine = await openFakeEngine();
  const settings = { terminal: { backend: 'docker', docker: { image: 'debian:13' } } };
  const env = { PATH: engine.path };
  await using house = await openTelegramHouse({ script, settings, env, telegram: { allow: [anna.id, ben.id] } });
  const old = await run(house, 'export COLOUR=blue');
  await engine.holdContainers();

  house.telegram.say('/new');
  house.telegram.say('hello', { from: ben });
  house.telegram.say('anew');
  await house.telegram.whenShown(ben.id, (texts) => texts.includes('Re: hello'));
  const texts = await house.telegram.whenShown(anna.id, (shown) => shown.includes('Re: anew'));
  const wasThere = hasTask(house, old);
  const fresh = await sessionOf(house, anna.id);
  await engine.letGoOfContainers();
  while (hasTask(house, old)) await nextTick();

  assert.equal(wasThere, true);
  assert.deepEqual(texts.slice(-2), [`A new session: ${fresh}. The old one is ${old}.`, 'Re: anew']);
});

test('a session that was replaced and not closed, since the program died, is closed by the next start, whatever the policy says', async () => {
  const clock = new ManualClock(Date.now());
  const settings = { session_reset: { mode: 'off' } };
  await using house = await openTelegramHouse({ script, clock, settings });
  const old = await run(house, 'export COLOUR=blue');
  const { address, person, workdir } = (await house.app.store.sessions.get(old)) ?? assert.fail();
  // As far as /new had come when the program died.
  await house.app.store.sessions.renew({ address, person, workdir });
  await house.close();
  await house.open();
  const wasThere = hasTask(house, old);

  clock.advance(60_000);
  while (hasTask(house, old)) await nextTick();

  assert.equal(wasThere, true);
});

/** Has a message put off, since no model can be asked. */
async function putOff(house: TelegramHouse, text: string): Promise<SessionId> {
  await house.configure({ allow: [anna.id] }, { model: { provider: 'openai', default: 'without-a-key' } });
  house.telegram.say(text);
  await house.telegram.whenShown(anna.id, (texts) => texts.some((each) => each.startsWith('This turn was put off')));
  const session = await sessionOf(house, anna.id);
  await house.gateway.whenIdle(session);
  await house.configure({ allow: [anna.id] });
  return session;
}

test('what was put off in a session that a chat leaves is told, and goes on when the chat comes back and no sooner', async () => {
  await using house = await openTelegramHouse({ script });
  house.telegram.say('first');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Re: first'));
  const first = await sessionOf(house, anna.id);
  await house.gateway.whenIdle(first);
  house.telegram.say('/new');
  await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('A new session') === true);
  const second = await putOff(house, 'one');

  house.telegram.say('/new');
  const afterNew = await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.includes(second) === true);
  house.telegram.say(`/resume ${first}`);
  await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('Going on') === true);
  await house.close();
  await house.open();
  house.telegram.say('hello');
  const meanwhile = await house.telegram.whenShown(anna.id, (texts) => texts.includes('Re: hello'));
  await house.gateway.whenIdle(first);
  house.telegram.say(`/resume ${second}`);
  const back = await house.telegram.whenShown(anna.id, (texts) => texts.includes('Re: one'));

  const told = `Not answered there yet: “one”. That goes on when you come back: /resume ${shortId(second)}`;
  assert.equal(afterNew.at(-1)?.split('\n')[1], told);
  assert.equal(meanwhile.includes('Re: one'), false);
  assert.equal(back.filter((text) => text === 'Re: one').length, 1);
  assert.deepEqual(lastSaid(house), ['one']);
});

test('what was put off in a session that /resume leaves is told', async () => {
  await using house = await openTelegramHouse({ script });
  house.telegram.say('first');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Re: first'));
  const first = await sessionOf(house, anna.id);
  await house.gateway.whenIdle(first);
  house.telegram.say('/new');
  await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('A new session') === true);
  const second = await putOff(house, 'one');

  house.telegram.say(`/resume ${first}`);
  const left = await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('Going on') === true);

  const told = `Not answered there yet: “one”. That goes on when you come back: /resume ${shortId(second)}`;
  assert.equal(left.at(-1)?.split('\n')[1], told);
});

/** What the model was last asked about, in the session that it was said in. */
function lastSaid({ model }: TelegramHouse): readonly string[] {
  const messages = (model.requests.at(-1)?.json?.['messages'] ?? []) as unknown as readonly Said[];
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}
