import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandTable } from '../../src/gateway/commands.ts';
import { callsTool, delays, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { ShownMessage } from '../support/telegram-server-chats.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { floods } from '../support/telegram-server-faults.ts';

function endsWith(text: string): (texts: readonly string[]) => boolean {
  return (texts) => texts.at(-1) === text;
}

function begins(text: string): (texts: readonly string[]) => boolean {
  return (texts) => texts.some((each) => each.startsWith(text));
}

function isTold(texts: readonly string[]): boolean {
  return texts.some((each) => each.includes('max_turns'));
}

test('on Telegram a message in queue mode is told that it waits, and then answered', async () => {
  const gate = Promise.withResolvers<void>();
  const display = { platforms: { telegram: { busy_input_mode: 'queue' } } };
  await using house = await openTelegramHouse({
    script: [delays(gate.promise, says('First.')), says('Second.')],
    settings: { display },
  });

  house.telegram.say('one');
  await house.model.whenRequested(1);
  house.telegram.say('two');
  await house.telegram.whenShown(anna.id, begins('Waits: 1 turn is before it.'));
  gate.resolve();
  await house.telegram.whenShown(anna.id, endsWith('Second.'));
});

test('on Telegram an interruption stops the turn and is answered next', async () => {
  await using house = await openTelegramHouse({
    script: [callsTool('terminal', { command: 'sleep 600' }), says('Something else.')],
  });

  house.telegram.say('work');
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  house.telegram.say('/approve');
  await house.telegram.whenShown(anna.id, begins('Allowed: sleep 600'));
  house.telegram.say('/interrupt leave that');
  await house.telegram.whenShown(anna.id, endsWith('Something else.'));

  const stopped = house.telegram.shown(anna.id).filter(({ text }) => text.startsWith('Stopped'));
  assert.deepEqual(
    stopped.map(({ text }) => text),
    ['Stopped the turn that ran: yours is next.'],
  );
});

test('the answer to a command outlives a flood and the end of the program', async () => {
  await using house = await openTelegramHouse({ script: [] });
  house.telegram.fail('sendMessage', floods(1));

  house.telegram.say('/title Holiday plans');
  await house.telegram.whenCalled('sendMessage');
  await house.close();
  await house.open();

  await house.telegram.whenShown(anna.id, begins('This session is now called “Holiday plans”.'));
});

test('/restart ends the gateway through what started it, once, with the answer safe; a redelivered one does nothing', async () => {
  let restarts = 0;
  const restart = (): void => {
    restarts += 1;
  };
  await using house = await openTelegramHouse({ script: () => says('Hello.'), restart });

  const message = house.telegram.say('/restart');
  await house.telegram.whenShown(anna.id, begins('Restarting.'));
  house.telegram.push({ message } as Parameters<typeof house.telegram.push>[0]);
  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, endsWith('Hello.'));

  assert.equal(restarts, 1);
});

test('where nothing would start the gateway again, /restart says so, and what would help', async () => {
  await using house = await openTelegramHouse({ script: [] });

  house.telegram.say('/restart');

  await house.telegram.whenShown(
    anna.id,
    begins('Nothing was done: nothing would start this program again. This would help.'),
  );
});

test('a guest can neither restart the gateway, take over its notices, nor change the settings of all', async () => {
  let restarts = 0;
  await using house = await openTelegramHouse({ script: [], telegram: {}, restart: () => (restarts += 1) });
  const code = await house.ask({ type: 'invite-owner' });
  house.telegram.say(`/start ${code}`);
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  house.telegram.say('hi', { from: ben });
  const [offer = ''] = await house.telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });

  const settings = await readFile(join(house.home, 'config.json'), 'utf8');

  house.telegram.say('/restart', { from: ben });
  await house.telegram.whenShown(ben.id, begins('Only the owner can do that'));
  house.telegram.say('/sethome', { from: ben });
  house.telegram.say('/model scripted --global', { from: ben });
  house.telegram.say('/reasoning high --global', { from: ben });
  const answers = await house.telegram.whenShown(ben.id, ({ length }) => length === 6);

  assert.equal(answers.filter((each) => each.startsWith('Only the owner can do that')).length, 4);
  assert.equal(await readFile(join(house.home, 'config.json'), 'utf8'), settings);
  assert.equal(restarts, 0);
  assert.deepEqual(await house.app.store.homeChats.list(), []);
  house.telegram.say('/restart');
  await house.telegram.whenShown(anna.id, begins('Restarting.'));
});

test('the home chat is told what belongs to no chat, also after a restart', async () => {
  await using house = await openTelegramHouse({ script: [] });
  house.telegram.say('/sethome');
  await house.telegram.whenShown(anna.id, begins('This chat is now told what belongs to no chat'));
  await house.close();
  await house.open();

  await house.configure({ allow: [anna.id] }, { agent: { max_turns: 'many' } });
  house.telegram.say('let me in', { from: ben });

  await house.telegram.whenShown(anna.id, isTold);
  assert.ok(!isTold(house.telegram.shown(ben.id).map(({ text }) => text)));
});

const startedOn = /max_turns.*; the settings of .* are used until this is mended/;

test('a start on broken settings is told in the home chat, once, and is in the log', async () => {
  await using house = await openTelegramHouse({ script: [] });
  house.telegram.say('/sethome');
  await house.telegram.whenShown(anna.id, begins('This chat is now told what belongs to no chat'));
  await house.close();
  await house.configure({ allow: [anna.id] }, { agent: { max_turns: 'many' } });
  await house.open();

  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => startedOn.test(text)));
  house.telegram.say('/status');
  const shown = await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('• session ')));

  assert.equal(shown.filter((text) => text.includes('max_turns')).length, 1);
  const [log = ''] = await readdir(join(house.home, 'logs'));
  assert.match(await readFile(join(house.home, 'logs', log), 'utf8'), startedOn);
});

test('a home chat whose owner has no access any more is told nothing', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: { allow: [anna.id, ben.id] } });
  house.telegram.say('/sethome', { from: ben });
  await house.telegram.whenShown(ben.id, begins('This chat is now told'));
  await house.configure({ allow: [anna.id] });
  house.telegram.say('/status');
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  await house.configure({ allow: [anna.id] }, { agent: { max_turns: 'many' } });
  house.telegram.say('hello?', { from: ben });
  await house.telegram.whenShown(ben.id, (texts) => texts.length === 2);

  assert.ok(isTold(house.reported));
  assert.ok(!isTold(house.telegram.shown(ben.id).map(({ text }) => text)));
});

test('the menu of the bot has every command of the table', async () => {
  await using house = await openTelegramHouse({ script: [] });

  const { commands } = await house.telegram.whenCalled('setMyCommands');

  assert.ok(Array.isArray(commands));
  assert.deepEqual(
    commands.map(({ command }: { command: string }) => command),
    commandTable.map(({ name }) => name),
  );
});

test('on Telegram a stop does not wait for the model that /model --global asks', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: [delays(gate.promise, says('Yes.'))] });

  house.telegram.say('/model other --global');
  await house.model.whenRequested(1);
  house.telegram.say('/stop');
  await house.telegram.whenShown(anna.id, endsWith('Nothing is running.'));
  gate.resolve();
  await house.telegram.whenShown(anna.id, begins('custom:other'));

  assert.match(house.telegram.shown(anna.id).at(-1)?.text ?? '', /It answers here and in every session/);
});

function boldIn(message: ShownMessage | undefined): readonly string[] {
  return (message?.entities ?? [])
    .filter(({ type }) => type === 'bold')
    .map(({ offset, length }) => message?.text.slice(offset, offset + length) ?? '');
}

test('on a phone /help and /status are lists with bold names, and no columns', async () => {
  await using house = await openTelegramHouse({ script: [] });
  house.telegram.say('/help');
  await house.telegram.whenShown(anna.id, (texts) => texts.length === 1);
  house.telegram.say('/status');
  await house.telegram.whenShown(anna.id, (texts) => texts.length === 2);

  const [help, status] = house.telegram.shown(anna.id);
  assert.doesNotMatch(`${help?.text}\n${status?.text}`, / {2}/);
  assert.match(help?.text ?? '', /^While it works\n• \/stop stop what is running\n/);
  assert.deepEqual(boldIn(help).slice(0, 2), ['While it works', '/stop']);
  assert.match(status?.text ?? '', /^• session ses_\w+\n• model custom:scripted\n• folder \//);
  const names = boldIn(status).filter((name) => name !== 'sandbox');
  assert.deepEqual(names, ['session', 'model', 'folder', 'state', 'busy']);
});

test('on a phone /sessions, /usage and /processes are lists, too, and what they say below is words', async () => {
  const background = { command: 'sleep 600', background: true };
  await using house = await openTelegramHouse({ script: [callsTool('terminal', background), says('Begun.')] });
  house.telegram.say('work');
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  house.telegram.say('/approve');
  await house.telegram.whenShown(anna.id, endsWith('Begun.'));
  const ask = async (command: string, beginning: string): Promise<ShownMessage | undefined> => {
    house.telegram.say(command);
    await house.telegram.whenShown(anna.id, begins(beginning));
    return house.telegram.shown(anna.id).findLast(({ text }) => text.startsWith(beginning));
  };

  const sessions = await ask('/sessions', '• 1 ');
  const usage = await ask('/usage', 'This session: ');
  const processes = await ask('/processes', '• proc_');

  assert.match(sessions?.text ?? '', /^• 1 \w+ {2}.*\nGo on with one of them: \/resume NUMBER$/);
  assert.deepEqual(boldIn(sessions), ['1']);
  assert.match(
    usage?.text ?? '',
    /^This session: .*\n– 2 calls, .*\n– .* output\nToday, all sessions: .*\n– 2 calls, /,
  );
  assert.match(boldIn(usage).join('\n'), /^This session: .*\nToday, all sessions: .*$/);
  const [id = ''] = boldIn(processes);
  assert.match(processes?.text ?? '', new RegExp(`^• ${id} running for .* {2}sleep 600\\nTo see .*\\nTo stop one: `));
  await ask(`/processes stop ${id}`, `${id} is stopped`);
});
