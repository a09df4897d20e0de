import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, SharedChromium } from '../support/browser.ts';
import { callsTool, says, stallsAfter } from '../support/model-script.ts';
import { enterPage, messageField, sendInPage, whenReplied } from '../support/page.ts';
import { openWebHouse } from '../support/web-house.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;

/** Looks once a frame. (Playwright's own way to wait for a text of code is refused by the page's security policy.) */
async function whenTrue(page: Page, claim: string): Promise<void> {
  while ((await page.evaluate(claim)) !== true) await page.evaluate('new Promise(requestAnimationFrame)');
}

test('a link that is opened in a page that is there lets it in, and leaves the address', { skip }, async () => {
  await using house = await openWebHouse();
  await using browser = await chromium.open();
  const page = await browser.open(house.origin);
  await page.getByText('This browser is not logged in.').waitFor();

  await page.goto(await house.askDesk({ type: 'link' }));
  await page.getByText('Connected', { exact: true }).waitFor();
  assert.doesNotMatch(page.url(), /code/);
  await house.askDesk({ type: 'logout' });
  await page.getByText('This browser is logged out.').waitFor();
  await page.goto(await house.askDesk({ type: 'link' }));

  await page.getByText('Connected', { exact: true }).waitFor();
  assert.equal(await page.locator('#door').isVisible(), false);
});

test(
  'a used link says so in a page that is there, at the door and inside, and leaves the address',
  { skip },
  async () => {
    await using house = await openWebHouse();
    const used = await house.askDesk({ type: 'link' });
    await house.ask('/api/login', { body: { code: used.split('#code=')[1] ?? '' } });
    await using browser = await chromium.open();
    const page = await browser.open(house.origin);
    await page.getByText('This browser is not logged in.').waitFor();

    await page.goto(used);
    await page.locator('#door', { hasText: 'this link was used or is too old' }).waitFor();
    assert.doesNotMatch(page.url(), /code/);
    await page.goto(await house.askDesk({ type: 'link' }));
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.goto(used);

    await page.locator('#note', { hasText: 'this link was used or is too old' }).waitFor();
    assert.doesNotMatch(page.url(), /code/);
  },
);

for (const command of ['/queue', '/steer', '/interrupt']) {
  test(`${command} TEXT is shown once, as the text`, { skip }, async () => {
    const stalled = stallsAfter(900, says('One two three four five six seven eight.'));
    await using house = await openWebHouse({
      script: (_request, index) => (index === 0 ? stalled : says('Seen.')),
    });
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    await sendInPage(page, 'count');
    await page.locator('#growing', { hasText: 'One' }).waitFor();

    await sendInPage(page, `${command} and bananas`);
    await page.locator('#messages .user:not([data-state])', { hasText: 'and bananas' }).waitFor();
    house.model.release();
    await whenReplied(page, 'Seen.');

    assert.deepEqual(await page.locator('#messages .user .body').allInnerTexts(), ['count', 'and bananas']);
  });
}

test('whoever is logged in at the page is the owner', async () => {
  await using house = await openWebHouse();
  using stream = await house.follow('one');
  const isAnswer = (text: string) =>
    stream.when(({ event, data }) => event === 'said' && String(data['text']).includes(text));

  await house.say('/restart');
  await isAnswer('nothing would start this program again');
  await house.say('/sethome');
  await isAnswer('This chat is now told what belongs to no chat');

  assert.doesNotMatch(JSON.stringify(stream.events), /Only the owner/);
});

test('a long text arrives whole, and one that is too long stays where it was written', { skip }, async () => {
  await using house = await openWebHouse({ script: () => says('Seen.') });
  await using browser = await chromium.open();
  const page = await enterPage(house, browser);
  const fits = 'é'.repeat(120_000);
  const tooLong = 'é'.repeat(140_000);

  await sendInPage(page, tooLong);
  await page.locator('#note', { hasText: 'at most 256' }).waitFor();
  assert.equal(await messageField(page).inputValue(), tooLong);
  assert.equal(house.model.requests.length, 0);
  await sendInPage(page, fits);
  await whenReplied(page, 'Seen.');

  assert.ok(house.model.requests[0]?.body.includes(fits));
  assert.equal(await page.locator('#note').isVisible(), false);
});

test(
  'a chat that works or asks elsewhere is marked, and what it asks has a button for each answer',
  { skip },
  async () => {
    const clarify = callsTool('clarify', { question: 'Which tea?', choices: ['black', 'green'] });
    await using house = await openWebHouse({
      script: [callsTool('terminal', { command: 'touch made' }), clarify, says('Done.')],
    });
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    const heardOf = page.getByRole('link', { name: 'about tea' });

    await house.say('about tea', 'elsewhere');
    await heardOf.filter({ hasText: 'waits for your answer' }).waitFor();
    assert.match(await page.title(), /^\(\?\) /);
    await page.setViewportSize({ width: 360, height: 640 });
    await page.getByRole('button', { name: 'Chats (?)' }).click();
    await heardOf.filter({ hasText: 'waits for your answer' }).waitFor();
    await page.setViewportSize({ width: 1000, height: 640 });
    await page.reload();
    await heardOf.filter({ hasText: 'waits for your answer' }).waitFor();
    await heardOf.click();
    await page.getByRole('button', { name: 'Once' }).click();
    await page.getByRole('region', { name: 'Questions' }).getByRole('button', { name: 'green' }).click();
    await whenReplied(page, 'Done.');

    assert.match(JSON.stringify(house.model.requests.at(-1)?.body), /The user answers: green/);
    await page.locator('#messages').getByText('Answered: green').waitFor();
    assert.equal(await page.getByRole('button', { name: 'green' }).count(), 0);
    await heardOf.filter({ hasNotText: /waits|works/ }).waitFor();
    assert.equal(await page.title(), 'about tea · Talaria');
  },
);

test('what was begun in a chat waits there, also over a reload, and goes when it is sent', { skip }, async () => {
  await using house = await openWebHouse({ script: () => says('Seen.') });
  await using browser = await chromium.open();
  const page = await enterPage(house, browser);
  await sendInPage(page, 'about tea');
  await whenReplied(page, 'Seen.');
  await messageField(page).fill('begun here');

  await page.getByRole('button', { name: 'New chat' }).click();
  await page.locator('#messages .reply').waitFor({ state: 'detached' });
  assert.equal(await messageField(page).inputValue(), '');
  await page.getByRole('link', { name: 'about tea' }).click();
  await whenReplied(page, 'Seen.');
  assert.equal(await messageField(page).inputValue(), 'begun here');
  await page.reload();
  await whenReplied(page, 'Seen.');
  assert.equal(await messageField(page).inputValue(), 'begun here');
  await messageField(page).press('Enter');
  await page.locator('#messages .user', { hasText: 'begun here' }).waitFor();
  await page.reload();
  await page.locator('#messages .reply').first().waitFor();

  assert.equal(await messageField(page).inputValue(), '');
});

test(
  'an open question stays in sight when the window becomes narrow, unless someone reads further up',
  { skip },
  async () => {
    const words = 'Some words that fill the line and break where it ends. '.repeat(60);
    await using house = await openWebHouse({
      script: [says(words), callsTool('terminal', { command: 'touch made' }, { text: words })],
    });
    await using browser = await chromium.open();
    const page = await enterPage(house, browser);
    await sendInPage(page, 'write');
    await whenReplied(page, 'Some words');
    await sendInPage(page, 'act');
    const allow = page.getByRole('button', { name: 'Once' });
    await allow.waitFor();
    const gap = 'scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight';
    await whenTrue(page, `(() => { const scroll = document.getElementById('scroll'); return ${gap} < 2; })()`);

    await page.setViewportSize({ width: 360, height: 640 });

    await whenTrue(
      page,
      `(() => {
    const { bottom } = document.querySelector('.question button').getBoundingClientRect();
    return innerWidth === 360 && bottom < innerHeight;
  })()`,
    );
    await page.evaluate(`document.getElementById('scroll').scrollTop = 0`);
    await whenTrue(
      page,
      `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))`,
    );
    await page.setViewportSize({ width: 500, height: 640 });
    await whenTrue(page, `innerWidth === 500`);
    assert.ok(Number(await page.evaluate(`document.getElementById('scroll').scrollTop`)) < 500);
  },
);

test('on a narrow screen a command stands above what it does', { skip }, async () => {
  await using house = await openWebHouse();
  await using browser = await chromium.open();
  const page = await enterPage(house, browser);
  await page.setViewportSize({ width: 360, height: 640 });

  await sendInPage(page, '/help');
  const line = page.locator('#messages .notice .line', { hasText: 'stop what is running' });
  await line.waitFor();

  const [first, second] = (await line.innerText()).split('\n');
  assert.match(first ?? '', /^\s*\/stop\s*$/);
  assert.match(second ?? '', /stop what is running/);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
});
