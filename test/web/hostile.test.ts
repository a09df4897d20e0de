import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, openBrowser, SharedChromium } from '../support/browser.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { openWebHouse } from '../support/web-house.ts';
import type { WebHouse } from '../support/web-house.ts';
import { hostileTexts } from './hostile-texts.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;
const perChat = 20;

/** What is in the page that only an attacker could have put there. */
async function intruders(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`
    [...document.querySelectorAll('body *')].flatMap((node) => {
      const name = node.localName;
      const own = node.closest('#messages, #growing, #questions, #chats') === null;
      const allowed = 'p div span a code pre strong em del ul ol li blockquote table thead tbody tr th td hr br h2 h3 h4 h5 h6 article section button'.split(' ');
      const attributes = [...node.attributes].map((each) => each.name).filter((each) => /^(on|style|src|srcset|formaction|action)/.test(each));
      const isBadLink = name === 'a' && !/^(https?:|mailto:|#chat=)/.test(node.getAttribute('href') ?? '');
      const isUnguarded = name === 'a' && !node.closest('#chats') && !node.rel.includes('noopener');
      if (own) return [];
      return !allowed.includes(name) || attributes.length > 0 || isBadLink || isUnguarded ? [node.outerHTML] : [];
    }).concat(globalThis.owned ? ['owned'] : [])
  `);
}

test('there are at least 200 hostile texts', () => {
  assert.ok(new Set(hostileTexts).size >= 200);
});

/** Answers with the very text that was asked. */
function echo(request: SeenRequest): ReturnType<typeof says> {
  const messages = request.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return says(isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '?');
}

async function sayAll(house: WebHouse, chat: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    using stream = await house.follow(chat);
    await house.say(text, chat);
    await stream.when(({ event }) => event === 'over');
  }
}

test('nothing that a model or a chat wrote runs, reaches out or becomes anything but text', { skip }, async () => {
  await using house = await openWebHouse({ script: echo });
  await using browser = await chromium.open();
  const asked: string[] = [];
  browser.context.on('request', (request) => {
    if (!request.url().startsWith(house.origin)) asked.push(request.url());
  });
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByText('Connected', { exact: true }).waitFor();
  const count = Math.ceil(hostileTexts.length / perChat);
  const chats = Array.from({ length: count }, (_, index) => hostileTexts.slice(index * perChat, (index + 1) * perChat));

  await Promise.all(chats.map((texts, index) => sayAll(house, `hostile-${index}`, texts)));
  for (const [index, texts] of chats.entries()) {
    await page.goto(`${house.origin}/#chat=hostile-${index}`);
    await page
      .locator('#messages .reply')
      .nth(texts.length - 1)
      .waitFor();
    const said = await page.locator('#messages .user .body').allTextContents();
    assert.deepEqual(await intruders(page), []);
    assert.deepEqual(
      said.map((text) => text.trim()),
      texts.map((text) => text.trim()),
    );
  }

  assert.deepEqual(asked, []);
  assert.deepEqual(browser.complaints, []);
});

test('a hostile question, title and command are shown as they are', { skip }, async () => {
  const evil = '<img src=x onerror=globalThis.owned=1><script>globalThis.owned=1</script>';
  await using house = await openWebHouse({
    script: [callsTool('terminal', { command: `echo '${evil}' > file` }), says('Done.')],
  });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByLabel('Message', { exact: true }).fill(evil);
  await page.keyboard.press('Enter');
  await page.locator('.question', { hasText: '<script>' }).waitFor();
  await page.getByRole('link', { name: '<img' }).waitFor();
  assert.deepEqual(await intruders(page), []);

  await page.getByRole('button', { name: 'Deny' }).click();
  await page.locator('#messages .reply').waitFor();
  await page.getByLabel('Message', { exact: true }).fill(`/title ${evil}`);
  await page.keyboard.press('Enter');
  await page.locator('#messages .notice', { hasText: 'is now called' }).waitFor();
  await page.reload();
  await page.locator('#messages .reply').waitFor();

  assert.match(await page.title(), /<img src=x/);
  assert.deepEqual(await intruders(page), []);
  assert.deepEqual(browser.complaints, []);
});

test('another site, another port and a name that was made to point here can do nothing', { skip }, async () => {
  await using house = await openWebHouse({ script: () => says('Hello.') });
  await using elsewhere = await openWebHouse();
  const port = new URL(house.origin).port;
  await using browser = await openBrowser({ hostRules: 'MAP evil.invalid 127.0.0.1' });
  const own = await browser.open(await house.askDesk({ type: 'link' }));
  await own.getByText('Connected', { exact: true }).waitFor();

  // The other port is the same site to a browser, so that the cookie goes along; the name is another site on our port.
  const foreign = await browser.open(`${elsewhere.origin}/icon.svg`);
  const attempts = (await foreign.evaluate(attack(house.origin))) as readonly string[];
  const rebound = await browser.context.newPage();
  const visit = await rebound.goto(`http://evil.invalid:${port}/`);

  assert.deepEqual(new Set(attempts), new Set(['refused']));
  assert.equal(visit?.status(), 421);
  const { json } = await house.ask('/api/chats', { headers: await house.asProgram() });
  assert.deepEqual(json, { chats: [] });
  assert.equal(house.model.requests.length, 0);
  await own.reload();
  await own.getByText('Connected', { exact: true }).waitFor();
});

/** Tries every route from a page that is not ours, in every way that needs no leave. */
function attack(origin: string): string {
  return `(async () => {
    const body = JSON.stringify({ id: '1', text: 'owned', digest: 'x', verdict: 'approved', code: 'x' });
    const posts = ['login', 'logout', 'chats/one/messages', 'chats/one/answers', 'chats/one/stop'];
    const gets = ['chats', 'chats/one/history', 'chats/one/events'];
    const tries = [
      ...posts.flatMap((path) => ['application/json', 'text/plain'].flatMap((type) => ['cors', 'no-cors'].map((mode) =>
        [path, { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body }]))),
      ...gets.flatMap((path) => ['cors', 'no-cors'].map((mode) => [path, { mode, credentials: 'include' }])),
    ];
    return await Promise.all(tries.map(async ([path, options]) => {
      try {
        const response = await fetch('${origin}/api/' + path, options);
        return response.type === 'opaque' || response.status >= 400 ? 'refused' : 'done: ' + path;
      } catch {
        return 'refused';
      }
    }));
  })()`;
}
