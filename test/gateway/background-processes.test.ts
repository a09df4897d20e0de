import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { callsTool, says } from '../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../support/model-script.ts';
import { whenGone } from '../support/processes.ts';
import { anna } from '../support/telegram-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { command } from './say-commands.ts';

const waitForGo = 'while [ ! -e go ]; do sleep 0.01; done';

interface SentMessage {
  readonly role: string;
  readonly content: string;
}

function messagesOf(request: SeenRequest | undefined): readonly SentMessage[] {
  return request?.json?.['messages'] as unknown as readonly SentMessage[];
}

function newsIn(request: SeenRequest | undefined): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => {
    return role === 'user' && content.includes('background process') ? [content] : [];
  });
}

/** Starts what is said as a background process; every other message is answered with a word. */
const startsWhatIsSaid: ModelScript = (request) => {
  const last = messagesOf(request).at(-1);
  const asked = last?.role === 'user' ? /^start (.*)$/s.exec(last.content)?.[1] : undefined;
  return asked === undefined ? says('Well.') : callsTool('terminal', { command: asked, background: true });
};

async function whenNoticed(house: TestHouse, count = 1): Promise<readonly string[]> {
  for (;;) {
    const texts = house.shown.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
    if (texts.length >= count) return texts;
    await nextTick();
  }
}

async function folderOfOnly(house: TestHouse): Promise<string> {
  const folder = join(house.home, 'tasks', (await house.session()).id, 'processes');
  const [only = ''] = await readdir(folder);
  return join(folder, only);
}

test('the chat is told once when a background process ends, and the next message brings it to the model, once', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say(`start ${waitForGo}; exit 5`);
  const { shown } = house;
  const before = shown.length;

  await writeFile(join(house.workdir, 'go'), '');
  const [notice = ''] = await whenNoticed(house);
  await house.say('hello');
  await house.say('and again');

  assert.match(notice, /^The background process proc_[0-9a-f]{8} has ended with exit code 5 after \d+ s: while/);
  assert.equal(shown.slice(before).filter(({ kind }) => kind === 'notice').length, 1);
  const requests = house.server.requests.slice(-2);
  for (const request of requests) assert.equal(newsIn(request).length, 1);
  assert.match(
    newsIn(requests[0])[0] ?? '',
    /^\[The background process proc_\w+ \(while .*\) has ended with exit code 5/,
  );
  // What the person says now is what is answered.
  assert.equal(messagesOf(requests[0]).at(-1)?.content, 'hello');
  assert.match(messagesOf(requests[0]).at(-2)?.content ?? '', /^\[The background process/);
  // What was sent once is sent again as it was.
  assert.deepEqual(messagesOf(requests[1]).slice(0, messagesOf(requests[0]).length), messagesOf(requests[0]));
  assert.equal(house.server.requests.at(-1)?.json?.['tools'] === undefined, false);
});

test('a running turn hears of the end with its next step', async () => {
  const record = 'tasks/*/processes/*/exit';
  await using house = await openTestHouse({
    script: (request) => {
      const results = messagesOf(request).filter(({ role }) => role === 'tool').length;
      if (results === 0) return callsTool('terminal', { command: `${waitForGo}; exit 4`, background: true });
      const wait = `touch go; until ls ${house.home}/${record}; do sleep 0.01; done > /dev/null 2>&1`;
      return results === 1 ? callsTool('terminal', { command: wait }) : says('Heard.');
    },
  });

  await house.say('go');

  const [, second, third] = house.server.requests;
  assert.deepEqual(newsIn(second), []);
  assert.equal(newsIn(third).length, 1);
  assert.equal(messagesOf(third).at(-1)?.role, 'user');
  assert.match((await whenNoticed(house))[0] ?? '', /exit code 4/);
});

test('R1 R2 a process outlives an orderly end of the program, and its end is told by the next start', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say(`start ${waitForGo}; echo late; exit 2`);

  await house.close();
  const folder = join(house.home, 'tasks');
  const session = (await readdir(folder)).find((name) => name.startsWith('ses_')) ?? '';
  const [id = ''] = await readdir(join(folder, session, 'processes'));
  await writeFile(join(house.workdir, 'go'), '');
  while (!existsSync(join(folder, session, 'processes', id, 'exit'))) await nextTick();
  await house.open();
  const notices = await whenNoticed(house);
  await house.restart();
  await house.say('hello');

  assert.match(notices[0] ?? '', /exit code 2/);
  assert.equal((await whenNoticed(house)).length, 1);
  assert.equal(newsIn(house.server.requests.at(-1)).length, 1);
});

test('what was told is not told again, also where the program ended before it could note that beside the process', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say('start exit 1');
  await whenNoticed(house);
  await house.say('hello');
  const folder = await folderOfOnly(house);
  await Promise.all(['told', 'heard'].map((mark) => rm(join(folder, mark))));

  await house.restart();
  while (!existsSync(join(folder, 'told'))) await nextTick();
  await house.say('hello again');

  assert.equal((await whenNoticed(house)).length, 1);
  assert.equal(newsIn(house.server.requests.at(-1)).length, 1);
  assert.equal(existsSync(join(folder, 'heard')), true);
});

test('without consent no process is started', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid, consent: 'denied' });

  await house.say('start touch ran');

  assert.match(messagesOf(house.server.requests.at(-1)).at(-1)?.content ?? '', /^REFUSED/);
  assert.equal(existsSync(join(house.home, 'tasks', (await house.session()).id, 'processes')), false);
});

test('a reset names the processes of the conversation and ends them, and nobody is told again', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  // How the process stands at the moment in which it is ended.
  const marks = join(house.workdir, 'marks');
  await house.say(`start trap "ls ${house.home}/tasks/*/processes/* > ${marks}; exit 1" TERM; touch up; ${waitForGo}`);
  const folder = await folderOfOnly(house);
  while (!existsSync(join(house.workdir, 'up'))) await nextTick();
  const pid = Number.parseInt(await readFile(join(folder, 'group'), 'utf8'), 10);

  const reply = await command(house, '/new');
  await whenGone(pid);
  while (existsSync(folder)) await nextTick();
  await house.say('hello');

  assert.match(reply, /\n1 background process of the old session is ended: proc_[0-9a-f]{8} \(trap .{34}…\)\.$/);
  const known = (await readFile(marks, 'utf8')).split('\n');
  assert.deepEqual([known.includes('told'), known.includes('closed')], [true, true]);
  assert.deepEqual(newsIn(house.server.requests.at(-1)), []);
});

test('of a process that was ended with its session, but without a word in the chat, no exit code is told', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say(`start ${waitForGo}; exit 143`);

  await writeFile(join(await folderOfOnly(house), 'closed'), '');
  await writeFile(join(house.workdir, 'go'), '');
  const [notice = ''] = await whenNoticed(house);

  assert.match(notice, /^The background process proc_\w{8} was ended together with its session after \d+ s: while/);
});

/** Starts a process that waits for a word, and writes it. */
const startsAndWrites: ModelScript = (request) => {
  const messages = messagesOf(request);
  const id = /proc_[0-9a-f]{8}/.exec(messages.map(({ content }) => content).join('\n'))?.[0];
  if (id === undefined) return callsTool('terminal', { command: 'read -r word; test "$word" = yes', background: true });
  const results = messages.filter(({ role }) => role === 'tool').length;
  return results === 1 ? callsTool('process', { action: 'write', id, text: 'yes\n' }) : says('Done.');
};

/** Allows what is asked there in these words. */
async function allow({ telegram }: TelegramHouse, question: RegExp): Promise<void> {
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => question.test(text)));
  const asking = telegram.shown(anna.id).find(({ text }) => question.test(text));
  const button = asking?.buttons?.inline_keyboard.flat().find(({ text }) => text === 'Allow' || text === 'Once');
  assert.ok(button && 'callback_data' in button);
  telegram.press(button.callback_data);
}

function isNoticeOfEnd(text: string): boolean {
  return /^The background process proc_\w+ has ended with exit code 0/.test(text);
}

test('on Telegram, too, the chat is told when a process ends, and asked before something is written to one', async () => {
  await using house = await openTelegramHouse({ script: startsAndWrites });

  house.telegram.say('go');
  await allow(house, /in the background/);
  await allow(house, /written to proc_/);

  const shown = await house.telegram.whenShown(anna.id, (texts) => {
    return texts.some(isNoticeOfEnd) && texts.includes('Done.');
  });
  assert.equal(shown.filter(isNoticeOfEnd).length, 1);
});
