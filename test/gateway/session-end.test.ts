import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { newId, shortId } from '../../src/base/ids.ts';
import type { PersonId, SessionId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { textPart } from '../../src/model/message.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';

const hourMs = 60 * 60 * 1000;
const minuteMs = 60 * 1000;

interface Said {
  readonly role: string;
  readonly content: string;
}

function conversation({ json }: SeenRequest): readonly Said[] {
  const messages = (json?.['messages'] ?? []) as unknown as readonly Said[];
  return messages.filter(({ role }) => role !== 'system');
}

/** Runs what it is told to run, and answers everything else. */
function script(request: SeenRequest): ReturnType<typeof says> {
  const last = conversation(request).at(-1);
  const said = last?.content ?? '';
  if (last?.role === 'tool') return says('It ran.');
  return said.startsWith('run: ') ? callsTool('terminal', { command: said.slice(5) }) : says(`Re: ${said}`);
}

interface Chats {
  readonly house: TelegramHouse;
  readonly clock: ManualClock;
}

async function openChats(settings: JsonObject = {}): Promise<Chats> {
  const clock = new ManualClock(Date.now());
  return { house: await openTelegramHouse({ script, clock, telegram: { allow: [anna.id, ben.id] }, settings }), clock };
}

async function ask(house: TelegramHouse, text: string, from = anna): Promise<void> {
  house.telegram.say(text, { from });
  await whenAnswered(house, `Re: ${text}`, from.id);
}

async function whenAnswered(house: TelegramHouse, answer: string, chat: number): Promise<void> {
  await house.telegram.whenShown(chat, (texts) => texts.includes(answer));
  await house.gateway.whenIdle(await sessionOf(house, chat));
}

/** Has a command run that needs consent. */
async function run(house: TelegramHouse, command: string, from = anna): Promise<void> {
  const { telegram } = house;
  telegram.say(`run: ${command}`, { from });
  const data = await whenAsked(house, from.id);
  telegram.press(data, { from, chat: { id: from.id, type: 'private', first_name: from.first_name } });
  await whenAnswered(house, 'It ran.', from.id);
}

async function whenAsked({ telegram }: TelegramHouse, chat: number): Promise<string> {
  let data: string | undefined;
  await telegram.whenShown(chat, () => {
    const buttons = telegram.shown(chat).flatMap((message) => message.buttons?.inline_keyboard.flat() ?? []);
    const allow = buttons.find(({ text }) => text === 'Allow' || text === 'Once');
    data = allow && 'callback_data' in allow ? allow.callback_data : undefined;
    return data !== undefined;
  });
  return data ?? '';
}

async function sessionOf({ app }: TelegramHouse, chat: number): Promise<SessionId> {
  const sessions = await app.store.sessions.list({ limit: 10 });
  const found = sessions.find(({ address }) => address.chat === String(chat));
  assert.ok(found);
  return found.id;
}

function lastAsked({ model }: TelegramHouse): readonly string[] {
  const last = model.requests.at(-1);
  assert.ok(last);
  return conversation(last).map(({ content }) => content);
}

async function readPid(house: TelegramHouse, name: string): Promise<number> {
  return Number(await readFile(join(house.home, '..', name), 'utf8'));
}

async function countClosings({ home }: TelegramHouse): Promise<number> {
  const files = await readdir(join(home, 'logs'));
  const texts = await Promise.all(files.map((file) => readFile(join(home, 'logs', file), 'utf8')));
  return texts.join('').match(/closed, being over/g)?.length ?? 0;
}

test('after a day of silence the next message begins a new session: the chat is told, and the old one is kept', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  await ask(house, 'one');
  const old = await sessionOf(house, anna.id);
  house.telegram.say('/model scripted');
  await house.telegram.whenShown(anna.id, (texts) => texts.length === 2);

  clock.advance(25 * hourMs);
  house.telegram.updates.order = 'doubled';
  await ask(house, 'two');
  const texts = house.telegram.shown(anna.id).map(({ text }) => text);

  const notice = `A new session begins here: nothing was said for 25 h. The old one is kept; /resume ${shortId(old)} goes back to it.`;
  assert.deepEqual(texts.slice(2), [notice, 'Re: two']);
  assert.deepEqual(lastAsked(house), ['two']);
  const fresh = await sessionOf(house, anna.id);
  assert.notEqual(fresh, old);
  assert.deepEqual((await house.app.store.sessions.get(fresh))?.settings, {});
  const [found] = await house.app.store.sessions.matching(shortId(old));
  assert.equal(found?.id, old);
  assert.equal((await house.app.store.turns.after(old, 0)).at(-1)?.entry.type, 'turn.settled');
});

test('a message that Telegram brings again after a long silence renews nothing', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  const message = house.telegram.say('one');
  await whenAnswered(house, 'Re: one', anna.id);

  clock.advance(25 * hourMs);
  house.telegram.push({ message } as Parameters<typeof house.telegram.push>[0]);
  await ask(house, 'two');

  const texts = house.telegram.shown(anna.id).map(({ text }) => text);
  assert.equal(texts.filter((text) => text.startsWith('A new session begins')).length, 1);
  assert.equal((await house.app.store.sessions.list({ limit: 10 })).length, 2);
  // It is neither answered again nor what the new session begins with.
  assert.equal(house.model.requests.length, 2);
  assert.deepEqual(lastAsked(house), ['two']);
});

test('with the policy off, or a session that was resumed, the conversation goes on whenever the next message comes', async () => {
  const { house, clock } = await openChats({ session_reset: { mode: 'off' } });
  await using _house = house;
  await ask(house, 'one');

  clock.advance(900 * hourMs);
  await ask(house, 'two');
  const afterOff = lastAsked(house);
  await house.configure({ allow: [anna.id] }, { session_reset: { mode: 'idle' } });
  clock.advance(900 * hourMs);
  await house.app.store.sessions.resume(await sessionOf(house, anna.id));
  await ask(house, 'three');

  assert.deepEqual(afterOff, ['one', 'Re: one', 'two']);
  assert.equal(lastAsked(house).length, 5);
});

test('a chat that wants no notice gets none', async () => {
  const { house, clock } = await openChats({ session_reset: { notify: false } });
  await using _house = house;
  await ask(house, 'one');

  clock.advance(25 * hourMs);
  await ask(house, 'two');

  assert.deepEqual(
    house.telegram.shown(anna.id).map(({ text }) => text),
    ['Re: one', 'Re: two'],
  );
  assert.deepEqual(lastAsked(house), ['two']);
});

test('no session ends under a running turn, however long that waits', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  const { telegram } = house;
  telegram.say('run: touch made');
  await whenAsked(house, anna.id);
  const session = await sessionOf(house, anna.id);

  clock.advance(50 * hourMs);
  telegram.say('and?');
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('Noted:')));

  assert.equal(await sessionOf(house, anna.id), session);
  assert.equal(await countClosings(house), 0);
});

test('no session ends while a message in it waits to be answered: the next one finds it, and both are answered', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  const access = { allow: [anna.id] };
  await house.configure(access, { model: { provider: 'openai', default: 'without-a-key' } });
  house.telegram.say('one');
  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('This turn was put off')));
  await house.gateway.whenIdle(await sessionOf(house, anna.id));

  await house.configure(access);
  clock.advance(25 * hourMs);
  await ask(house, 'two');

  assert.deepEqual(lastAsked(house), ['one', 'Re: one', 'two']);
});

test('no sweep closes what a session has while a message in it waits to be answered', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  for (const from of [anna, ben]) await run(house, 'cd / && export COLOUR=blue', from);
  const [waiting, over] = [await sessionOf(house, anna.id), await sessionOf(house, ben.id)];
  const person = `telegram:${anna.id}` as PersonId;
  const turn = { sessionId: waiting, turnId: newId('turn', clock.now()) };
  await house.app.store.turns.append(turn, [{ type: 'turn.admitted', parts: [textPart('later')], person }]);

  clock.advance(25 * hourMs);
  // The sweep looks at them in the order in which they were used.
  await whenRemoved(taskOf(house, over));

  assert.equal(existsSync(taskOf(house, waiting)), true);
});

test('no session ends while something that it started runs in the background, and then it does', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  await run(house, 'sleep 300 >/dev/null 2>&1 & echo $! > pid');
  const session = await sessionOf(house, anna.id);
  const pid = await readPid(house, 'pid');

  clock.advance(25 * hourMs);
  await ask(house, 'still there?');
  const whileRunning = await sessionOf(house, anna.id);
  const isLeft = await isRunning(pid);
  process.kill(pid, 'SIGKILL');
  await whenGone(pid);
  clock.advance(25 * hourMs);
  await ask(house, 'and now?');

  assert.equal(whileRunning, session);
  assert.equal(isLeft, true);
  assert.deepEqual(lastAsked(house), ['and now?']);
  await whenRemoved(taskOf(house, session));
});

function taskOf({ home }: TelegramHouse, session: SessionId): string {
  return join(home, 'tasks', session);
}

async function whenRemoved(path: string): Promise<void> {
  while (existsSync(path)) await nextTick();
}

test('L3 the message that begins a new session closes the task of the old one, before any sweep', async () => {
  const clock = new ManualClock(new Date(2026, 0, 15, 3, 59, 50).getTime());
  const settings = { session_reset: { mode: 'daily', at_hour: 4 } };
  await using house = await openTelegramHouse({ script, clock, settings });
  await run(house, 'cd / && export COLOUR=blue');
  const over = await sessionOf(house, anna.id);
  const hadTask = existsSync(taskOf(house, over));

  clock.advance(20_000);
  await ask(house, 'good morning');
  await whenRemoved(taskOf(house, over));

  assert.equal(hadTask, true);
  assert.notEqual(await sessionOf(house, anna.id), over);
});

test('what was allowed in a session ends with it: whoever goes back to it is asked again', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  const { telegram } = house;
  telegram.say('run: touch made');
  await whenAsked(house, anna.id);
  telegram.say('/approve session');
  await whenAnswered(house, 'It ran.', anna.id);
  telegram.say('/yolo on');
  telegram.say('/status');
  const before = await telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('• session ') === true);
  const over = await sessionOf(house, anna.id);

  clock.advance(25 * hourMs);
  await ask(house, 'good morning');
  await whenRemoved(taskOf(house, over));
  await house.app.store.sessions.resume(over);
  telegram.say('/status');
  const after = await telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith(`• session ${over}`) === true);

  const allowances = /^• (yolo|allowed) /gm;
  assert.deepEqual(before.at(-1)?.match(allowances), ['• yolo ', '• allowed ']);
  assert.equal(after.at(-1)?.match(allowances), null);
});

test('R4 expiry closes the task of a session that is over, once, and no other: not one that is in use or at work', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  await run(house, 'cd / && export COLOUR=blue');
  await run(house, 'sleep 300 >/dev/null 2>&1 & echo $! > pid', ben);
  const [over, atWork] = [await sessionOf(house, anna.id), await sessionOf(house, ben.id)];
  const pid = await readPid(house, 'pid');
  const hadTask = existsSync(taskOf(house, over));

  clock.advance(25 * hourMs);
  await whenRemoved(taskOf(house, over));
  while ((await countClosings(house)) === 0) await nextTick();
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    clock.advance(5 * minuteMs);
    await ask(house, `hello ${sweeps}`, ben);
  }
  const isLeft = await isRunning(pid);
  const isKept = existsSync(taskOf(house, atWork));
  process.kill(pid, 'SIGKILL');

  assert.equal(hadTask, true);
  assert.deepEqual([isLeft, isKept], [true, true]);
  assert.equal(await countClosings(house), 1);
  assert.ok(await house.app.store.sessions.get(over), 'the conversation is kept');
});

test('R4 expiry also finds the task that an earlier start of the program left', async () => {
  const { house, clock } = await openChats();
  await using _house = house;
  await run(house, 'cd / && export COLOUR=blue');
  const session = await sessionOf(house, anna.id);
  await house.close();
  await house.open();

  clock.advance(25 * hourMs);
  await whenRemoved(taskOf(house, session));

  assert.equal(existsSync(taskOf(house, session)), false);
});
