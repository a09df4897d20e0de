import assert from 'node:assert/strict';
import { readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { OutboxId, PersonId } from '../../src/base/ids.ts';
import type { OutboundFile } from '../../src/model/channel.ts';
import type { Address } from '../../src/model/session.ts';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { callsTool, says } from '../support/model-script.ts';
import { makePng } from '../support/pictures.ts';
import { isReply } from '../support/web-events.ts';
import { openWebHouse } from '../support/web-house.ts';
import type { WebHouse } from '../support/web-house.ts';

const page = '<script>globalThis.owned=1</script>';

/** Puts a reply with files into a chat, as the agent would. */
async function sendFiles(
  house: WebHouse,
  files: readonly OutboundFile[],
  address: Address = { platform: 'webchat', account: 'local', chat: 'one', thread: '' },
): Promise<OutboxId> {
  const session = await house.app.store.sessions.at({ address, person: 'owner' as PersonId, workdir: '/' });
  const message = { sessionId: session.id, address, kind: 'reply' as const, text: 'Here.', files };
  return await house.app.store.outbox.enqueue({ ...message, notAfter: Date.now() + 60_000 });
}

async function writeFiles(house: WebHouse): Promise<readonly OutboundFile[]> {
  const [picture, text] = [join(house.home, 'grey.png'), join(house.home, 'page.html')];
  await writeFile(picture, makePng(200, 8));
  await writeFile(text, page);
  return [
    { path: picture, name: 'grey é.png', kind: 'picture' },
    { path: text, name: 'page.html', kind: 'file' },
    { path: text, name: 'not-a-picture.svg', kind: 'picture' },
    { path: join(house.home, 'gone'), name: 'gone.txt', kind: 'file' },
    { path: house.home, name: 'folder', kind: 'file' },
  ];
}

test('a file of a message is a download, whatever is in it, and only what is a picture is shown', async () => {
  await using house = await openWebHouse();
  const id = await sendFiles(house, await writeFiles(house));
  const headers = await house.asProgram();
  const fetched = await Promise.all(
    [0, 1, 2, 3, 4].map((index) => house.ask(`/api/chats/one/files/${id}/${index}`, { headers })),
  );

  assert.deepEqual(
    fetched.map(({ status, headers: got }) => [status, got['content-type'], got['content-disposition']]),
    [
      [200, 'image/png', "inline; filename*=UTF-8''grey%20%C3%A9.png"],
      [200, 'application/octet-stream', "attachment; filename*=UTF-8''page.html"],
      [200, 'application/octet-stream', "attachment; filename*=UTF-8''not-a-picture.svg"],
      [404, 'application/json', undefined],
      [404, 'application/json', undefined],
    ],
  );
  assert.equal(fetched[1]?.text, page);
  assert.equal(fetched[1]?.headers['x-content-type-options'], 'nosniff');
});

// A regular file that can be opened, and whose first bytes nobody can read.
const unreadable = '/proc/self/mem';
const noProc = process.platform === 'linux' ? false : `there is no ${unreadable} here`;

test('a file that cannot be read is not left open', { skip: noProc }, async () => {
  await using house = await openWebHouse();
  const id = await sendFiles(house, [{ path: unreadable, name: 'mem.png', kind: 'picture' }]);

  const { status } = await house.ask(`/api/chats/one/files/${id}/0`, { headers: await house.asProgram() });

  const opened = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => 'closed by now')),
  );
  assert.equal(status, 500);
  assert.ok(!opened.includes(`/proc/${process.pid}/mem`));
});

test('a file is found by its place in a message of this chat, and in no other way', async () => {
  await using house = await openWebHouse();
  const id = await sendFiles(house, await writeFiles(house));
  const headers = await house.asProgram();
  const paths = [
    `two/files/${id}/0`,
    `one/files/${id}/9`,
    `one/files/${id}/-1`,
    `one/files/${id}/length`,
    'one/files/x/0',
  ];

  const answers = await Promise.all(paths.map((path) => house.ask(`/api/chats/${path}`, { headers })));
  const stranger = await house.ask(`/api/chats/one/files/${id}/0`);

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
  assert.equal(stranger.status, 401);
});

test('a file that was sent at a terminal is fetched in the chat that its conversation came back to', async () => {
  await using house = await openWebHouse();
  const terminal = { platform: 'terminal', account: 'local', chat: 'node_1', thread: '' };
  const [, file] = await writeFiles(house);
  await sendFiles(house, file === undefined ? [] : [file], terminal);
  const { sessions } = house.app.store;
  const { id } = await sessions.at({ address: terminal, person: 'owner' as PersonId, workdir: '/' });
  await sessions.resume(id, { ...terminal, platform: 'webchat', chat: 'one' });
  const headers = await house.asProgram();

  const { json } = await house.ask('/api/chats/one/history', { headers });
  const [item] = json['items'] as readonly { readonly files: readonly { readonly path: string }[] }[];
  const path = item?.files[0]?.path ?? '';
  const elsewhere = await house.ask(path.replace('/one/', '/two/'), { headers });

  assert.equal((await house.ask(path, { headers })).text, page);
  assert.equal(elsewhere.status, 404);
});

test('a file that the model sends to its own chat in the page comes as a link to it', async () => {
  const script = [callsTool('send_message', { text: 'Here it is.', file: 'page.html' }), says('Sent.')];
  await using house = await openWebHouse({ script });
  await writeFile(join(dirname(house.home), 'page.html'), page);
  using events = await house.follow('one');

  await house.say('send me the page');
  await events.when(isReply('Sent.'));

  const headers = await house.asProgram();
  const { json } = await house.ask('/api/chats/one/history', { headers });
  const items = json['items'] as readonly {
    readonly text: string;
    readonly files?: readonly { readonly path: string }[];
  }[];
  const [file] = items.find(({ text }) => text === 'Here it is.')?.files ?? [];
  assert.equal((await house.ask(file?.path ?? '', { headers })).text, page);
});

test('the page shows pictures and links to files', { skip: noBrowser }, async () => {
  await using house = await openWebHouse();
  await sendFiles(house, (await writeFiles(house)).slice(0, 2));
  await using browser = await openBrowser();
  const link = await house.askDesk({ type: 'link' });
  const opened = await browser.open(link);
  await opened.goto(`${house.origin}/#chat=one`);

  await opened.locator('.reply img').waitFor();
  const downloading = opened.waitForEvent('download');
  await opened.getByRole('link', { name: 'page.html' }).click();
  const download = await downloading;

  assert.equal(download.suggestedFilename(), 'page.html');
  assert.equal(await opened.locator('.reply img').getAttribute('alt'), 'grey é.png');
  assert.equal(await opened.evaluate('document.querySelector(".reply img").naturalWidth'), 8);
});
