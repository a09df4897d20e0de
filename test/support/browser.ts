import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why there is no browser here, or false. */
export const noBrowser: string | false = existsSync(executablePath) ? false : `there is no ${executablePath}`;

/** A browser of its own, with what its pages complained about. */
export class TestBrowser implements AsyncDisposable {
  readonly complaints: string[] = [];
  readonly context: BrowserContext;
  readonly #browser: Browser;

  constructor(browser: Browser, context: BrowserContext) {
    this.#browser = browser;
    this.context = context;
    context.setDefaultTimeout(45_000);
  }

  async open(url: string): Promise<Page> {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** `hostRules` say what names resolve to, as an attacker's name server would. */
export async function openBrowser({ hostRules }: { readonly hostRules?: string } = {}): Promise<TestBrowser> {
  const rules = hostRules === undefined ? [] : [`--host-resolver-rules=${hostRules}`];
  const browser = await chromium.launch({ executablePath, args: [...args, ...rules] });
  return new TestBrowser(browser, await browser.newContext());
}
