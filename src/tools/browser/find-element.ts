import type { Locator, Page } from 'playwright-core';

/** The element that a ref of the last snapshot means; undefined where it is gone. */
export async function findElement(page: Page, ref: string): Promise<Locator | undefined> {
  const [, plain] = /^@?((?:f\d+)?e\d+)$/.exec(ref.trim()) ?? [];
  if (plain === undefined) return undefined;
  const element = page.locator(`aria-ref=${plain}`);
  return (await element.count()) === 1 ? element : undefined;
}

const delicate = /password|one-time-code|^cc-/;

/** Whether what is typed there logs in or pays. */
export async function isDelicateField(element: Locator): Promise<boolean> {
  if ((await element.getAttribute('type', quick)) === 'password') return true;
  return delicate.test((await element.getAttribute('autocomplete', quick)) ?? '');
}

/** It was there a moment ago. */
const quick = { timeout: 2000 };
