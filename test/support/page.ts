import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';
import type { WebHouse } from './web-house.ts';

/** Opens the page with a new link, as its owner does, and waits until it is connected. */
export async function enterPage(house: WebHouse, browser: TestBrowser): Promise<Page> {
  const page = await browser.open(await house.askDesk({ type: 'link' }));
  await page.getByText('Connected', { exact: true }).waitFor();
  return page;
}

export function messageField(page: Page): ReturnType<Page['getByLabel']> {
  return page.getByLabel('Message', { exact: true });
}

export async function sendInPage(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await page.keyboard.press('Enter');
}

export async function whenReplied(page: Page, text: string): Promise<void> {
  await page.locator('#messages .reply', { hasText: text }).waitFor();
}
