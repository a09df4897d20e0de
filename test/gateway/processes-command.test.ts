import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { callsTool, says } from '../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../support/model-script.ts';
import { whenGone } from '../support/processes.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { command, sayIn } from './say-commands.ts';

/** Starts what is said as a background process; every other message is answered with a word. */
const startsWhatIsSaid: ModelScript = (request) => {
  const last = messagesOf(request).at(-1);
  const asked = last?.role === 'user' ? /start (.*)$/s.exec(last.content)?.[1] : undefined;
  return asked === undefined ? says('Well.') : callsTool('terminal', { command: asked, background: true });
};

function messagesOf(request: SeenRequest | undefined): readonly { readonly role: string; readonly content: string }[] {
  return request?.json?.['messages'] as unknown as readonly { readonly role: string; readonly content: string }[];
}

function newsIn(request: SeenRequest | undefined): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => {
    return role === 'user' && content.startsWith('[The background process') ? [content] : [];
  });
}

function notices({ shown }: TestHouse): readonly string[] {
  return shown.flatMap(({ kind, text }) => (kind === 'notice' ? [text] : []));
}

/** The process that a process has left in a file, once it is there. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const pid = existsSync(file) ? Number.parseInt(await readFile(file, 'utf8'), 10) : Number.NaN;
    if (pid > 0) return pid;
    await nextTick();
  }
}

test('/processes lists what runs, /status counts it, and a stop ends all of it and is told once to the model', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say('start setsid sleep 60 & echo $! > child; sleep 60');
  const child = await pidIn(join(house.workdir, 'child'));

  const listed = await command(house, '/processes');
  const status = await command(house, '/status');
  const id = /^proc_[0-9a-f]{8}/.exec(listed)?.[0] ?? '';
  const stopped = await command(house, `/processes stop ${id.slice(0, 9)}`);
  await whenGone(child);
  const after = await command(house, '/ps');
  await house.say('hello');
  await house.say('start exit 3');
  while (notices(house).length === 0) await nextTick();

  assert.match(
    listed,
    /^proc_\w{8} {2}running for \d+ s {2}setsid sleep 60 .*\nTo see what one has put out: \/processes show ID\nTo stop one: \/processes stop ID$/,
  );
  assert.match(status, /^running {2}1 background process: see \/processes$/m);
  assert.match(stopped, new RegExp(`^${id} is stopped, with everything that belongs to it: setsid sleep 60`));
  assert.match(after, new RegExp(`^${id} {2}stopped after \\d+ s {2}setsid sleep 60 [^\\n]*\\nTo see [^\\n]*$`));
  // Whoever stopped it in the chat knows of it there.
  assert.equal(notices(house).length, 1);
  assert.match(notices(house)[0] ?? '', /has ended with exit code 3/);
  const heard = newsIn(house.server.requests.at(-1)).filter((news) => news.includes(id));
  assert.equal(heard.length, 1);
  assert.match(heard[0] ?? '', /was stopped by the user after \d+ s/);
});

test('/processes show has the last lines of what a process put out, as many as a message holds', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  const long = 'x'.repeat(300);
  await house.say(`start seq 1 30; printf "${long}%s\\n" $(seq 11 25); touch up; sleep 60`);
  while (!existsSync(join(house.workdir, 'up'))) await nextTick();
  await house.say('start sleep 60');
  const [id = '', silent = ''] = (await command(house, '/processes')).match(/^proc_\w{8}/gm) ?? [];
  // What was written is on its way to the file for a moment.
  const whenShown = async (): Promise<string> => {
    for (;;) {
      const shown = await command(house, `/processes show ${id}`);
      if (shown.endsWith('x25')) return shown;
    }
  };

  const shown = await whenShown();
  const nothing = await command(house, `/processes show ${silent}`);
  for (const each of [id, silent]) await command(house, `/processes stop ${each}`);
  const after = await command(house, `/processes show ${id}`);

  assert.match(shown, new RegExp(`^${id} {2}running for \\d+ s {2}seq 1 30.*\n\n…x+16\n`));
  assert.ok(shown.length < 3900);
  assert.match(
    nothing,
    new RegExp(`^${silent} {2}running for \\d+ s {2}sleep 60\n\nIt has put out nothing so far\\.$`),
  );
  assert.match(after, /stopped after [^]*x25$/);
});

test('another conversation neither sees nor stops a process, and the owner is told where to look', async () => {
  await using house = await openTestHouse({ script: startsWhatIsSaid });
  await house.say('start echo $$ > shell; sleep 60');
  await pidIn(join(house.workdir, 'shell'));
  await sayIn(house, 'other', 'hello');
  const id = /^proc_[0-9a-f]{8}/.exec(await command(house, '/processes'))?.[0] ?? '';

  const listed = await command(house, '/processes', 'other');
  const refused = await command(house, `/processes stop ${id}`, 'other');
  const unseen = await command(house, `/processes show ${id}`, 'other');
  const unclear = await command(house, '/processes stop');
  const running = await command(house, '/processes');
  await command(house, `/processes stop ${id}`);

  assert.equal(
    listed,
    'There are no background processes in this conversation.\n1 background process of other conversations: talaria processes',
  );
  assert.equal(refused, `There is no background process ${id} in this conversation. /processes lists them.`);
  assert.equal(unseen, refused);
  assert.equal(unclear, 'Say it like this: /processes, /processes show ID, or /processes stop ID.');
  assert.match(running, /running for/);
});

test('in a group a member of the conversation stops a process, and whoever only shares the group does not', async () => {
  const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;
  await using house = await openTelegramHouse({
    script: startsWhatIsSaid,
    telegram: { allow: [anna.id, ben.id], groups: 'all' },
  });
  const { telegram } = house;
  const say = (from: typeof anna, text: string): void => {
    const length = text.includes(' ') ? text.indexOf(' ') : text.length;
    telegram.say(text, { chat: group, from, entities: [{ type: 'bot_command', offset: 0, length }] });
  };
  const whenSaid = async (pattern: RegExp): Promise<string> => {
    await telegram.whenShown(group.id, (texts) => texts.some((text) => pattern.test(text)));
    return telegram.shown(group.id).find(({ text }) => pattern.test(text))?.text ?? '';
  };
  telegram.say('start sleep 60', { chat: group, from: anna });
  await telegram.whenShown(group.id, (texts) => texts.length > 0);
  say(anna, '/approve');
  await whenSaid(/^Well\.$/);
  say(anna, '/processes');
  const id = /proc_\w{8}/.exec(await whenSaid(/running for/))?.[0] ?? '';

  say(ben, `/processes stop ${id}`);
  const refused = await whenSaid(/^There is no background process/);
  say(anna, `/processes stop ${id}`);
  const stopped = await whenSaid(/is stopped/);

  assert.match(refused, new RegExp(id));
  assert.match(stopped, new RegExp(`^${id} is stopped`));
});
