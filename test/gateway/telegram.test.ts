import assert from 'node:assert/strict';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says, staysSilent } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { anna, ben, botToken } from '../support/telegram-server.ts';
import type { ShownMessage } from '../support/telegram-server-chats.ts';
import { floods } from '../support/telegram-server-faults.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';

const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;

function endsWith(text: string): (texts: readonly string[]) => boolean {
  return (texts) => texts.at(-1) === text;
}

function buttonOf(message: ShownMessage | undefined, label: string): string {
  const button = message?.buttons?.inline_keyboard.flat().find(({ text }) => text === label);
  assert.ok(button && 'callback_data' in button);
  return button.callback_data;
}

async function codeFor(house: TelegramHouse, person: typeof anna): Promise<string> {
  const [text = ''] = await house.telegram.whenShown(person.id, (texts) => texts.length > 0);
  const [code] = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(text) ?? [];
  assert.ok(code);
  return code;
}

test('a message on Telegram is answered there, once', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello, Anna.') });
  house.telegram.updates.order = 'doubled';

  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, endsWith('Hello, Anna.'));
  await house.close();

  assert.deepEqual(
    house.telegram.shown(anna.id).map(({ text }) => text),
    ['Hello, Anna.'],
  );
  assert.equal(house.model.requests.length, 1);
});

test('an answer is seen while it grows, and the finished one takes its place', async () => {
  const text = 'This is the first half of an answer that takes its time.';
  const gate = Promise.withResolvers<void>();
  const pausing: ModelStep = {
    plan(request) {
      const [head, ...actions] = says(text).plan(request);
      assert.ok(head);
      return [head, ...actions.slice(0, 10), { type: 'wait', gate: gate.promise }, ...actions.slice(10)];
    },
  };
  await using house = await openTelegramHouse({ script: [pausing] });

  house.telegram.say('tell me');
  const [growing = ''] = await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  gate.resolve();
  const shown = await house.telegram.whenShown(anna.id, (texts) => texts.includes(text));

  assert.match(growing, /^This is the first.* ▉$/);
  assert.deepEqual(shown, [text]);
});

test('whoever waits is told why after half a minute, in one message that is kept up to date and becomes the answer', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTelegramHouse({ script: [staysSilent(says('Here.'))], clock });
  house.telegram.say('hello?');
  await house.model.whenRequested(1);

  const seen: (readonly string[])[] = [];
  for (const seconds of [30, 45]) {
    const line = `⏳ waiting for custom:scripted, ${seconds} s, try 1 of 4`;
    clock.advance((seconds === 30 ? 30 : 15) * 1000);
    seen.push(await house.telegram.whenShown(anna.id, endsWith(line)));
    await whenAnswersAreRead(house);
  }
  house.model.release();
  const answered = await house.telegram.whenShown(anna.id, endsWith('Here.'));

  assert.deepEqual(
    seen.map((texts) => texts.length),
    [1, 1],
  );
  assert.deepEqual(answered, ['Here.']);
});

/** Behind everything that the server has answered so far: the bot has read it by then, and knows when it may edit again. */
async function whenAnswersAreRead({ telegram }: TelegramHouse): Promise<void> {
  for (let trips = 0; trips < 3; trips += 1) {
    const answer = await fetch(`${telegram.apiRoot}/bot${botToken}/getMe`);
    await answer.text();
  }
}

test('the menu of the bot has the commands that the terminal has', async () => {
  await using house = await openTelegramHouse({ script: [] });

  const { commands } = await house.telegram.whenCalled('setMyCommands');

  assert.ok(Array.isArray(commands) && commands.some(({ command }: { command: string }) => command === 'model'));
});

test('in a group a command is heard by its other names, too', async () => {
  await using house = await openTelegramHouse({ script: [] });

  house.telegram.say('/reset', { chat: group, entities: [{ type: 'bot_command', offset: 0, length: 6 }] });

  const [answer = ''] = await house.telegram.whenShown(group.id, (texts) => texts.length > 0);
  assert.match(answer, /^A new session/);
});

test('a button answers the question that it stands under, and then goes', async () => {
  await using house = await openTelegramHouse({
    script: [callsTool('terminal', { command: 'touch made' }), says('Done.')],
  });

  house.telegram.say('make a file');
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0 && questions(house).length === 1);
  const [question] = questions(house);
  house.telegram.press(buttonOf(question, 'Once'));
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Done.') && questions(house).length === 0);

  const ended = house.telegram.shown(anna.id).find(({ message_id: id }) => id === question?.message_id);
  assert.match(ended?.text ?? '', /Allowed\.$/);
});

function questions({ telegram }: TelegramHouse): readonly ShownMessage[] {
  return telegram.shown(anna.id).filter(({ buttons }) => buttons !== undefined);
}

test('a stranger gets a code and nothing else; the owner lets them in with it while the gateway runs', async () => {
  await using house = await openTelegramHouse({ script: () => says('Welcome.'), telegram: {} });

  house.telegram.say('let me in');
  const code = await codeFor(house, anna);
  assert.equal(house.model.requests.length, 0);
  assert.equal(await house.ask({ type: 'people' }), 'Nobody has access but you, at this terminal.');
  assert.match(await house.ask({ type: 'pair', code }), /^telegram:42 “Anna @anna” has access now/);
  await house.telegram.whenShown(
    anna.id,
    ([, told]) => told?.startsWith('You have access to this assistant now.') === true,
  );
  house.telegram.say('and now?');
  await house.telegram.whenShown(anna.id, endsWith('Welcome.'));

  assert.match(await house.ask({ type: 'people' }), /^telegram:42 {2}guest, let in \d{4}-\d\d-\d\d {2}Anna @anna$/);
  assert.match(await house.ask({ type: 'pair', code }), /^there is no such code/);
  assert.equal(house.telegram.shown(anna.id).length, 3);
});

test('whom a code lets in while no gateway runs is told so at the next start, once, unless it was taken back', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: {} });
  const { telegram } = house;
  const letIn = ({ id }: typeof anna): number =>
    telegram.shown(id).filter(({ text }) => text.startsWith('You have access to this assistant now.')).length;
  telegram.say('let me in');
  telegram.say('me, too', { from: ben });
  const codes = [await codeFor(house, anna), await codeFor(house, ben)];
  await house.close();

  for (const code of codes) await house.ask({ type: 'pair', code });
  await house.ask({ type: 'revoke', person: `telegram:${anna.id}` });
  await house.open();
  await telegram.whenShown(ben.id, () => letIn(ben) > 0);
  await house.close();
  await house.open();
  telegram.say('/status', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.at(-1)?.startsWith('• session') === true);

  assert.deepEqual([letIn(anna), letIn(ben)], [0, 1]);
});

test('whom a code lets in is told so though the gateway ends before Telegram took it, once, unless it was taken back', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTelegramHouse({ script: [], telegram: {}, clock });
  const { telegram } = house;
  const letIn = ({ id }: typeof anna): number =>
    telegram.shown(id).filter(({ text }) => text.startsWith('You have access to this assistant now.')).length;
  telegram.say('let me in');
  telegram.say('me, too', { from: ben });
  const codes = [await codeFor(house, anna), await codeFor(house, ben)];

  telegram.fail('sendMessage', floods(30), floods(30));
  for (const code of codes) await house.ask({ type: 'pair', code });
  await telegram.whenCalled('sendMessage', 4);
  await house.ask({ type: 'revoke', person: `telegram:${anna.id}` });
  const waiting = await house.app.store.outbox.waiting('telegram');
  await house.close();
  const before = letIn(ben);
  clock.advance(60_000);
  await house.open();
  await telegram.whenShown(ben.id, () => letIn(ben) > 0);

  assert.deepEqual(
    waiting.map(({ address }) => address.chat),
    [String(ben.id)],
  );
  assert.deepEqual([before, letIn(anna), letIn(ben)], [0, 0, 1]);
});

test('access that is taken back is gone with the next message', async () => {
  await using house = await openTelegramHouse({ script: () => says('Welcome.'), telegram: {} });
  house.telegram.say('let me in');
  await house.ask({ type: 'pair', code: await codeFor(house, anna) });
  house.telegram.say('and now?');
  await house.telegram.whenShown(anna.id, endsWith('Welcome.'));

  assert.equal(await house.ask({ type: 'revoke', person: 'telegram:42' }), 'telegram:42 has no access any more.');
  house.telegram.say('one more thing');
  house.telegram.say('last', { from: ben });
  await codeFor(house, ben);

  assert.equal(house.model.requests.length, 1);
});

test('in a group strangers hear nothing, whatever they do', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  const { telegram } = house;

  telegram.say('@talaria_bot hi', {
    from: ben,
    chat: group,
    entities: [{ type: 'mention', offset: 0, length: 12 }],
  });
  telegram.say('/new@talaria_bot', {
    from: ben,
    chat: group,
    entities: [{ type: 'bot_command', offset: 0, length: 16 }],
  });
  telegram.say('hi');
  await telegram.whenShown(anna.id, endsWith('Hello.'));

  assert.deepEqual(telegram.shown(group.id), []);
  assert.equal(house.model.requests.length, 1);
});

test('nobody without access can press a button, edit a message in or give a command', async () => {
  await using house = await openTelegramHouse({
    script: [callsTool('terminal', { command: 'touch made' }), says('Done.')],
  });
  const { telegram } = house;
  telegram.say('make a file');
  await telegram.whenShown(anna.id, () => questions(house).length === 1);
  const [question] = questions(house);

  const chat = { id: anna.id, type: 'private', first_name: 'Anna' } as const;
  telegram.press(buttonOf(question, 'Once'), { from: ben, chat });
  telegram.edit(telegram.say('/stop', { from: ben }), '/stop now', 1_767_225_700);
  await codeFor(house, ben);
  telegram.press(buttonOf(question, 'Deny'));
  await telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));

  const answers = await approvals(house);
  assert.deepEqual(answers, [{ by: 'telegram:42', verdict: 'denied' }]);
});

async function approvals({ app }: TelegramHouse): Promise<readonly { by: string | null; verdict: string }[]> {
  const [session] = await app.store.sessions.list({ limit: 1 });
  assert.ok(session);
  const entries = await app.store.turns.after(session.id, 0);
  return entries.flatMap(({ entry }) =>
    entry.type === 'approval.answered' ? [{ by: entry.by, verdict: entry.verdict }] : [],
  );
}

test('who is added to the settings has access from the next message on, without a restart', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.'), telegram: {} });
  house.telegram.say('hi');
  await codeFor(house, anna);

  await house.configure({ allow: [anna.id] });
  house.telegram.say('hi again');

  await house.telegram.whenShown(anna.id, endsWith('Hello.'));
});

test('the next start goes on with turns that have no answer, and sends what was not sent', async () => {
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await using house = await openTelegramHouse({
    script: async () => {
      asked += 1;
      if (asked === 1) await held.promise;
      return says('Better late than never.');
    },
  });
  const { telegram } = house;
  telegram.say('are you there?');
  await house.model.whenRequested(1);
  await house.close();
  held.resolve();
  assert.deepEqual(telegram.shown(anna.id), []);

  await house.open();

  const shown = await telegram.whenShown(anna.id, endsWith('Better late than never.'));
  assert.deepEqual(shown, ['Better late than never.']);
});

test('a flooded chat gets its answer when Telegram allows it', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  house.telegram.fail('sendMessage', floods(1));

  house.telegram.say('hi');

  assert.deepEqual(await house.telegram.whenShown(anna.id, endsWith('Hello.')), ['Hello.']);
});

test('a command that is delivered again does not run again', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  const { telegram } = house;
  const message = telegram.say('/new');
  await telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('A new session') === true);

  telegram.push({ message } as Parameters<typeof telegram.push>[0]);
  telegram.say('hi');
  await telegram.whenShown(anna.id, endsWith('Hello.'));

  assert.equal((await house.app.store.sessions.list({ limit: 9 })).length, 2);
});

test('a token that Telegram refuses is reported, and takes nothing else down', async () => {
  await using house = await openTelegramHouse({ script: [] });
  house.telegram.revokeToken();
  await house.close();

  await house.open();
  await house.gateway.whenDeaf();

  assert.match(house.reported.join('\n'), /^telegram is not served any more: Telegram does not accept the bot token/);
  assert.match(await house.ask({ type: 'people' }), /by the settings/);
});

test('the token is in no log', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  await house.telegram.whenCalled('getUpdates');
  house.telegram.revokeToken();
  house.telegram.say('hello');
  while (!house.reported.join('\n').includes('does not accept the bot token')) await nextTick();
  await house.close();

  const logs = join(house.home, 'logs');
  const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));

  assert.match(texts.join(''), /waits for another token/);
  assert.ok(!texts.join('').includes(botToken));
});

test('the socket that commands use is closed to other users', async () => {
  await using house = await openTelegramHouse({ script: [] });

  const { mode } = await stat(join(house.home, 'state', 'gateway.sock'));

  assert.equal(mode & 0o777, 0o600);
});
