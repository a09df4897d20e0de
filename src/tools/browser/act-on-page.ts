import type { Locator, Page, Request } from 'playwright-core';
import { findElement } from './find-element.ts';

/** Something that the model did wrong, in words that it can act on. */
export class ActProblem extends Error {
  override readonly name = 'ActProblem';
}

const settleMs = 100;
const longestSettleMs = 5000;
const scrollPixels = 600;

/** Loads a page into the tab in front. */
export async function openUrl(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded' });
  } catch (thrown) {
    // A page that is a download has nothing to show, and that is noted.
    if (!String(thrown).includes('Download is starting')) throw thrown;
  }
}

export async function goBack(page: Page): Promise<void> {
  const answer = await page.goBack({ waitUntil: 'domcontentloaded' });
  if (answer === null && page.url() === 'about:blank') throw new ActProblem('there is no page before this one');
}

export async function clickElement(page: Page, ref: string): Promise<void> {
  const element = await needElement(page, ref);
  await settleAfter(page, () => element.click());
}

/** Puts the text in the place of what is there. A line end behind it is the Enter key. */
export async function typeInto(page: Page, ref: string, text: string): Promise<void> {
  const element = await needElement(page, ref);
  const isSubmitted = text.endsWith('\n');
  await settleAfter(page, async () => {
    await fill(element, isSubmitted ? text.slice(0, -1) : text);
    if (isSubmitted) await element.press('Enter');
  });
}

async function fill(element: Locator, text: string): Promise<void> {
  const isChoice = (await element.locator('xpath=self::select').count()) === 1;
  if (isChoice) await element.selectOption(text);
  else await element.fill(text);
}

export async function pressKey(page: Page, key: string): Promise<void> {
  await settleAfter(page, () => page.keyboard.press(key));
}

/** Scrolls by most of a screen, and says where that leads. */
export async function scrollPage(page: Page, direction: string): Promise<string> {
  if (direction !== 'up' && direction !== 'down') throw new ActProblem('scroll takes the text "up" or "down"');
  await settleAfter(page, () => page.mouse.wheel(0, direction === 'up' ? -scrollPixels : scrollPixels));
  const place = await page.evaluate<string>(
    'Math.round(scrollY) + " of " + Math.max(0, document.documentElement.scrollHeight - innerHeight)',
  );
  return `[scrolled ${direction}, to ${place} pixels]`;
}

async function needElement(page: Page, ref: string): Promise<Locator> {
  const element = await findElement(page, ref);
  if (element === undefined) throw new ActProblem(`there is no ${ref} on the page now: take a snapshot`);
  return element;
}

/** Waits for what an act sets off: the page it leads to, or what the page asks its server for. */
async function settleAfter(page: Page, act: () => Promise<void>): Promise<void> {
  const pending = new Set<Request>();
  const begin = (request: Request): void => {
    if (/^(?:document|fetch|xhr)$/.test(request.resourceType())) pending.add(request);
  };
  const end = (request: Request): void => void pending.delete(request);
  page.on('request', begin);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  try {
    await act();
    if (page.isClosed()) return;
    await page.waitForTimeout(settleMs);
    const patience = Date.now() + longestSettleMs;
    while (pending.size > 0 && Date.now() < patience) await page.waitForTimeout(settleMs);
    await page.waitForLoadState('domcontentloaded');
  } finally {
    page.off('request', begin);
    page.off('requestfinished', end);
    page.off('requestfailed', end);
  }
}
