import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, SharedChromium } from '../support/browser.ts';
import { callsTool, callsTools, says, stallsAfter } from '../support/model-script.ts';
import { isReply, itemTexts } from '../support/web-events.ts';
import type { WebEvents } from '../support/web-events.ts';
import { openWebHouse } from '../support/web-house.ts';
import type { WebHouse } from '../support/web-house.ts';

const chromium = new SharedChromium();
after(() => chromium[Symbol.asyncDispose]());

const skip = noBrowser;
const long = says('Apples are round, and there is much to say about them.');

async function shown(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('#messages .message .body').allInnerTexts();
  return texts.map((text) => text.trim()).filter((text) => !text.startsWith('Noted'));
}

async function answer(house: WebHouse, stream: WebEvents, verdict: 'approved' | 'denied'): Promise<void> {
  const { data } = await stream.when(({ event }) => event === 'asked');
  const body = { digest: String(data['digest']), verdict };
  await house.ask('/api/chats/one/answers', { headers: await house.asProgram(), body });
}

test('an answer stays when something was said while it came, also after a reload', { skip }, async () => {
  await using house = await openWebHouse({ script: [stallsAfter(900, long), says('Bananas are bent.')] });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByLabel('Message', { exact: true }).fill('apples');
  await page.keyboard.press('Enter');
  await page.locator('#growing', { hasText: 'Apples' }).waitFor();
  await page.getByLabel('Message', { exact: true }).fill('and bananas');
  await page.keyboard.press('Enter');
  await page.locator('#messages .notice', { hasText: 'Noted' }).waitFor();

  house.model.release();
  await page.locator('#messages .reply', { hasText: 'Bananas are bent.' }).waitFor();

  const whole = [
    'apples',
    'and bananas',
    'Apples are round, and there is much to say about them.',
    'Bananas are bent.',
  ];
  assert.deepEqual(await shown(page), whole);
  await page.reload();
  await page.locator('#messages .reply').waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
  assert.deepEqual(await shown(page), whole);
});

test('what was written of an answer stays when it is stopped, also after a reload', { skip }, async () => {
  await using house = await openWebHouse({ script: [stallsAfter(900, long)] });
  await using browser = await chromium.open();
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByLabel('Message', { exact: true }).fill('apples');
  await page.keyboard.press('Enter');
  await page.locator('#growing', { hasText: 'Apples' }).waitFor();

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('#messages .notice', { hasText: 'Stopped.' }).waitFor();

  await page.locator('#messages .aside', { hasText: 'Apples' }).waitFor();
  assert.equal(await page.locator('#growing').innerText(), '');
  await page.reload();
  await page.locator('#messages .notice', { hasText: 'Stopped.' }).waitFor();
  assert.match((await shown(page))[1] ?? '', /^Apples/);
});

test('what the model says before it uses a tool is seen once, and each use leaves one line that says how it ended', async () => {
  await using house = await openWebHouse({
    script: [
      callsTool('terminal', { command: 'touch made' }, { text: 'Let me see.' }),
      callsTools([{ name: 'read_file', args: { path: 'nowhere' } }]),
      says('Done.'),
    ],
  });
  using stream = await house.follow('one');
  await house.say('go');

  await answer(house, stream, 'approved');
  await stream.when(isReply('Done.'));

  const [user, aside, ran, missed, reply] = itemTexts(stream.events);
  assert.deepEqual(
    [user, aside, ran, reply],
    ['user: go', 'aside: Let me see.', 'act: ✓ terminal touch made · allowed', 'reply: Done.'],
  );
  assert.match(missed ?? '', /^act: ✗ read_file nowhere · .+/);
});

test('a question that was denied, and one that was open at a stop, leave a line', async () => {
  const command = { command: 'touch made' };
  await using house = await openWebHouse({
    script: [callsTool('terminal', command), says('As you wish.'), callsTool('terminal', command)],
  });
  using stream = await house.follow('one');
  await house.say('go');
  await answer(house, stream, 'denied');
  await stream.when(isReply('As you wish.'));

  using again = await house.follow('one');
  await house.say('go on');
  await again.when(({ event }) => event === 'asked');
  await house.ask('/api/chats/one/stop', { headers: await house.asProgram(), body: {} });
  await again.when(({ event, data }) => event === 'item' && data['type'] === 'notice');

  assert.deepEqual(
    itemTexts(again.events).filter((text) => text.startsWith('act')),
    ['act: ✗ terminal touch made · denied', 'act: ✗ terminal touch made · asked, and not answered · stopped'],
  );
});

test('a line says that something was allowed for the session, when it was asked and when it was not', async () => {
  const command = { command: 'touch made' };
  await using house = await openWebHouse({
    script: [callsTool('terminal', command), callsTool('terminal', command), says('Twice.')],
  });
  using stream = await house.follow('one');
  await house.say('go');
  const { data } = await stream.when(({ event }) => event === 'asked');
  const body = { digest: String(data['digest']), verdict: 'approved', scope: 'session' };

  await house.ask('/api/chats/one/answers', { headers: await house.asProgram(), body });
  await stream.when(isReply('Twice.'));

  assert.deepEqual(itemTexts(stream.events), [
    'user: go',
    'act: ✓ terminal touch made · allowed for the session',
    'act: ✓ terminal touch made · allowed by your earlier word (session)',
    'reply: Twice.',
  ]);
});

test('whatever a reader saw last of a turn with tools, what it reads from there completes the chat', async () => {
  await using house = await openWebHouse({
    script: [
      callsTools(
        [
          { name: 'read_file', args: { path: 'a' } },
          { name: 'read_file', args: { path: 'b' } },
        ],
        { text: 'Both.' },
      ),
      stallsAfter(900, long),
      says('Bananas are bent.'),
    ],
  });
  using stream = await house.follow('one');
  await house.say('go');
  await stream.when(({ event, data }) => event === 'working' && String(data['text']).includes('Apples'));
  await house.say('and bananas');
  house.model.release();
  await stream.when(isReply('Bananas are bent.'));
  const items = stream.events.filter(({ event }) => event === 'item');

  assert.equal(items.length, 7);
  for (const [index, { id = '' }] of items.entries()) {
    using rest = await house.follow('one', { 'last-event-id': id });
    await rest.when(({ event }) => event === 'standing');
    assert.deepEqual(itemTexts(rest.events), itemTexts(items.slice(index + 1)));
  }
});
