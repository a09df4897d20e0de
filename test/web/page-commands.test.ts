import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, SharedChromium } from '../support/browser.ts';
import { callsTool, says } from '../support/model-script.ts';
import { isReply } from '../support/web-events.ts';
import { enterPage, sendInPage, whenReplied } from '../support/page.ts';
import { openWebHouse } from '../support/web-house.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;

/** Everything that was said, and whether it is marked, as a screen reader reads it. */
async function read(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('#messages .message').allTextContents();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

test('what was taken back is marked, and nothing else is, also after a reload', { skip }, async () => {
  const tried = callsTool('read_file', { path: 'a' }, { text: 'Let me see.' });
  await using house = await openWebHouse({ script: [says('Kept.'), tried, says('Wrong.')] });
  await using browser = await chromium.open();
  const page = await enterPage(house, browser);
  await sendInPage(page, 'tea?');
  await whenReplied(page, 'Kept.');
  await sendInPage(page, 'coffee?');
  await whenReplied(page, 'Wrong.');

  await sendInPage(page, '/undo');
  await page.getByText('Taken back: “coffee?”').waitFor();
  const live = await read(page);
  await page.reload();
  await page.getByText('Taken back: “coffee?”').waitFor();

  assert.deepEqual(await read(page), live);
  assert.deepEqual(
    live.filter((text) => text.endsWith('taken back')).map((text) => text.replace(/ · .*| ?taken back$/, '')),
    ['You: coffee?', 'Talaria: Let me see.', 'Tool: ✗ read_file a', 'Talaria: Wrong.'],
  );
});

test('a reply names its turn also to a reader who has read the end of that turn and not yet the reply', async () => {
  await using house = await openWebHouse({ script: [says('Hello.')] });
  using stream = await house.follow('one');
  await house.say('hi');
  await stream.when(isReply('Hello.'));
  const headers = await house.asProgram();
  const { json } = await house.ask('/api/chats/one/history', { headers });
  const [question] = json['items'] as readonly { readonly turn: string }[];

  const behind = String(json['cursor']).replace(/\.\d+$/, '.0');
  const rest = await house.ask(`/api/chats/one/history?after=${behind}`, { headers });

  const items = rest.json['items'] as readonly { readonly text: string; readonly turn: string }[];
  assert.deepEqual(
    items.map(({ text, turn }) => [text, turn]),
    [['Hello.', question?.turn]],
  );
});

test(
  'a command that runs as a turn is answered by a notice, also after a reload, and a retry by the model',
  { skip },
  async () => {
    await using house = await openWebHouse({ script: [says('First.'), says('Second.')] });
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    await sendInPage(page, 'tea?');
    await whenReplied(page, 'First.');
    await sendInPage(page, '/retry');
    await whenReplied(page, 'Second.');

    await sendInPage(page, '/undo');
    await page.locator('#messages .notice', { hasText: 'Taken back: “tea?”' }).waitFor();
    await page.reload();
    await page.locator('#messages .notice', { hasText: 'Taken back: “tea?”' }).waitFor();

    assert.deepEqual(await page.locator('#messages .reply .body').allInnerTexts(), ['First.', 'Second.']);
  },
);

test(
  'after /new the list of chats says the same as the heading, at once and after a reload, and again when it has a name',
  { skip },
  async () => {
    await using house = await openWebHouse({ script: [says('First.'), says('Second.')] });
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    const row = page.locator('#chats a[aria-current]');
    await sendInPage(page, 'tea?');
    await row.filter({ hasText: 'tea?' }).waitFor();

    await sendInPage(page, '/new');
    await row.filter({ hasText: 'New chat' }).waitFor();
    const heading = await page.locator('#title').innerText();
    await page.reload();
    await row.filter({ hasText: 'New chat' }).waitFor();
    await sendInPage(page, 'coffee?');
    await row.filter({ hasText: 'coffee?' }).waitFor();

    assert.equal(heading, 'New chat');
    assert.equal(await page.locator('#chats a').count(), 1);
  },
);

test(
  'what does not fit beside a command in /help goes on below its own beginning, not where a command would begin',
  { skip },
  async () => {
    await using house = await openWebHouse();
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    await page.setViewportSize({ width: 1200, height: 900 });
    await sendInPage(page, '/help');
    await page.locator('#messages .notice .second').first().waitFor();

    // One rectangle a row of text, and one for the space at which it was broken.
    const lefts = (await page.evaluate(`[...document.querySelectorAll('#messages .notice .second')].map((node) => {
    const rows = Object.values(Object.groupBy(node.getClientRects(), ({ top }) => Math.round(top)));
    return rows.map((parts) => Math.round(Math.min(...parts.map(({ left }) => left))));
  })`)) as readonly (readonly number[])[];

    assert.ok(lefts.some(({ length }) => length > 1));
    assert.equal(new Set(lefts.flat()).size, 1);
    assert.deepEqual(browser.complaints, []);
  },
);
