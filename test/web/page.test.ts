import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, SharedChromium } from '../support/browser.ts';
import { callsTool, delays, says, stallsAfter } from '../support/model-script.ts';
import { sendInPage, whenReplied } from '../support/page.ts';
import { openWebHouse } from '../support/web-house.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;

/** Everything that was said, as the person reads it. */
async function shown(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('#messages .message .body').allInnerTexts();
  return texts.map((text) => text.trim());
}

test('a link opens the page, the code leaves the address at once, and a reload needs none', { skip }, async () => {
  await using house = await openWebHouse({ script: [says('**Hello** there.')] });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));

  await page.getByText('Connected', { exact: true }).waitFor();
  assert.doesNotMatch(page.url(), /code/);
  await sendInPage(page, 'hi');
  await whenReplied(page, 'Hello there.');
  await page.reload();
  await whenReplied(page, 'Hello there.');

  assert.deepEqual(await shown(page), ['hi', 'Hello there.']);
  assert.equal(await page.locator('#messages .reply strong').innerText(), 'Hello');
  const [cookie] = await browser.context.cookies();
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
  assert.deepEqual(browser.complaints, []);
});

test('without a link the page says how to get one, and a used link says so', { skip }, async () => {
  await using house = await openWebHouse();
  const link = await house.askDesk({ type: 'link' });
  await house.ask('/api/login', { body: { code: link.split('#code=')[1] ?? '' } });
  await using browser = await chromium.open();

  const bare = await browser.open(house.origin);
  await bare.getByText('This browser is not logged in.').waitFor();
  const used = await browser.open(link);

  await used.getByText('link was used or is too old').waitFor();
  assert.match(await used.locator('#door-text').innerText(), /^This link was used .* prints a new one\.$/);
  // Not by the chat that is opened behind it: here none is.
  assert.doesNotMatch(used.url(), /code/);
  assert.match(await used.locator('#door').innerText(), /talaria gateway link/);
});

test('an answer grows while it comes, and stop ends it', { skip }, async () => {
  const long = says('One two three four five six seven eight.');
  await using house = await openWebHouse({ script: [stallsAfter(900, long)] });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await sendInPage(page, 'count');
  await page.locator('#growing', { hasText: 'One' }).waitFor();

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('#messages .notice', { hasText: 'Stopped.' }).waitFor();

  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  assert.equal(await page.locator('#growing').innerText(), '');
});

for (const [button, made] of [
  ['Once', 'The file is there.'],
  ['Session', 'The file is there.'],
  ['Always touch made', 'The file is there.'],
  ['Deny', 'As you wish.'],
] as const) {
  test(`a question waits for its buttons, also over a reload, and ${button} answers it`, { skip }, async () => {
    await using house = await openWebHouse({ script: [callsTool('terminal', { command: 'touch made' }), says(made)] });
    await using browser = await chromium.open();
    const page = await browser.open(await house.askDesk({ type: 'link' }));
    await sendInPage(page, 'make a file');
    await page.locator('.question', { hasText: 'touch made' }).waitFor();
    await page.reload();
    const asked = (await page.locator('.question').textContent()) ?? '';

    await page.getByRole('button', { name: button, exact: true }).click();
    await whenReplied(page, made);

    await page.locator('.question').waitFor({ state: 'detached' });
    assert.match(asked, /^This needs your consent:\s*touch made/);
    assert.equal((house.model.requests[1]?.body ?? '').includes('the user did not allow this'), button === 'Deny');
  });
}

test('Shift+Enter begins a line, Enter sends, and an empty message is none', { skip }, async () => {
  await using house = await openWebHouse({ script: () => says('Seen.') });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByText('Connected', { exact: true }).waitFor();

  await page.keyboard.press('Enter');
  await page.keyboard.type('one');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('two');
  await page.keyboard.press('Enter');
  await whenReplied(page, 'Seen.');

  assert.deepEqual(await shown(page), ['one\ntwo', 'Seen.']);
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), '');
});

test('two pages show the same chat, each thing once and in the same order', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openWebHouse({
    script: (_request, index) => (index === 0 ? delays(gate.promise, says('Both.')) : says('Both, and more.')),
  });
  await using browser = await chromium.open();
  const left = await browser.open(await house.askDesk({ type: 'link' }));
  await left.getByText('Connected', { exact: true }).waitFor();
  const right = await browser.open(left.url());
  await right.getByText('Connected', { exact: true }).waitFor();

  await sendInPage(left, 'from the left');
  await right.locator('#messages .user', { hasText: 'from the left' }).waitFor();
  await sendInPage(right, 'from the right');
  await left.locator('#messages .user', { hasText: 'from the right' }).waitFor();
  gate.resolve();
  await whenReplied(left, 'Both, and more.');
  await whenReplied(right, 'Both, and more.');

  assert.deepEqual(await shown(left), await shown(right));
  assert.deepEqual(
    (await shown(left)).filter((text) => text.startsWith('from')),
    ['from the left', 'from the right'],
  );
});

test('commands work in the page, and several chats stand side by side', { skip }, async () => {
  await using house = await openWebHouse({ script: (_request, index) => says(`Answer ${index + 1}.`) });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await sendInPage(page, 'about tea');
  await whenReplied(page, 'Answer 1.');
  await sendInPage(page, '/help');
  await page.locator('#messages .notice', { hasText: 'stop what is running' }).waitFor();

  await page.getByRole('button', { name: 'New chat' }).click();
  await page.locator('#messages .reply').waitFor({ state: 'detached' });
  await sendInPage(page, 'about coffee');
  await whenReplied(page, 'Answer 2.');
  await page.getByRole('link', { name: 'about tea' }).click();
  await whenReplied(page, 'Answer 1.');

  assert.deepEqual((await shown(page)).slice(0, 3), ['about tea', 'Answer 1.', '/help']);
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'about tea');
});

test('a logout at the terminal closes the page that is open', { skip }, async () => {
  await using house = await openWebHouse();
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByText('Connected', { exact: true }).waitFor();

  await house.askDesk({ type: 'logout' });

  await page.getByText('This browser is logged out.').waitFor();
  assert.equal(await page.locator('#app').isVisible(), false);
});

test(
  'everything has a name for those who cannot see it, and a question is answered by keys alone',
  { skip },
  async () => {
    await using house = await openWebHouse({
      script: [callsTool('terminal', { command: 'touch made' }), says('Done.')],
    });
    await using browser = await chromium.open();
    const page = await browser.open(await house.askDesk({ type: 'link' }));
    await page.getByRole('status').filter({ hasText: 'Connected' }).waitFor();
    await page.keyboard.type('make a file');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Questions' }).getByRole('button', { name: 'Once' }).waitFor();

    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByRole('article').filter({ hasText: 'Talaria: Done.' }).waitFor();

    assert.equal(await page.getByRole('navigation', { name: 'Chats' }).count(), 1);
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
    const nameless = await page.evaluate(`
    [...document.querySelectorAll('button, input, textarea')]
      .filter((node) => (node.textContent + (node.labels?.[0]?.textContent ?? '')).trim() === '').length
  `);
    assert.equal(nameless, 0);
  },
);

test('on a narrow screen nothing sticks out, and the chats come and go', { skip }, async () => {
  const wide = `${'x'.repeat(300)}\n\n\`\`\`\n${'y'.repeat(300)}\n\`\`\`\n\n| ${'column | '.repeat(30)}\n|${'---|'.repeat(30)}`;
  await using house = await openWebHouse({ script: () => says(wide) });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.setViewportSize({ width: 360, height: 640 });
  await sendInPage(page, 'z'.repeat(200));
  await page.locator('#messages .reply table').waitFor();

  const width = await page.evaluate('document.documentElement.scrollWidth');
  assert.equal(width, 360);
  await page.getByRole('button', { name: 'Chats' }).click();
  await page.getByRole('button', { name: 'New chat' }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'New chat' }).waitFor({ state: 'hidden' });
});

test('only the list of messages scrolls in a long chat, never the page around it', { skip }, async () => {
  const long = 'A paragraph of the answer.\n\n'.repeat(80);
  await using house = await openWebHouse({ script: () => says(long) });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await sendInPage(page, 'write');
  await page.locator('#messages .reply').waitFor();
  await sendInPage(page, 'and again');
  await page.locator('#messages .reply').nth(1).waitFor();

  const list = await page.evaluate(
    `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.getElementById('scroll'))`,
  );
  const around = await page.evaluate('document.documentElement.scrollHeight - innerHeight');

  assert.equal(list, true);
  assert.equal(around, 0);
});

test('what the page is told twice it shows once', { skip }, async () => {
  await using house = await openWebHouse();
  await using browser = await chromium.open();
  const item = { id: 'out_1', type: 'reply', at: 1, text: 'Only once.' };
  const told = `event: item\ndata: ${JSON.stringify(item)}\n\n`;
  const thirdTime = Promise.withResolvers<void>();
  let times = 0;
  // The stream ends each time, so the page comes back for more, and is told the same again.
  await browser.context.route('**/events*', async (route) => {
    times += 1;
    if (times === 3) thirdTime.resolve();
    await route.fulfill({ contentType: 'text/event-stream', body: `${told}${told}` });
  });

  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await thirdTime.promise;

  assert.deepEqual(await shown(page), ['Only once.']);
});
