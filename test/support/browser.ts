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

/** A browser to a person who sits at it: cookies and storage are its own. With what its pages complained about. */
export class TestBrowser implements AsyncDisposable {
  readonly complaints: string[] = [];
  readonly context: BrowserContext;
  readonly #close: () => Promise<void>;

  constructor(context: BrowserContext, close: () => Promise<void>) {
    this.context = context;
    this.#close = close;
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
    await this.#close();
  }
}

/** A Chromium of its own. `hostRules` say what names resolve to, as an attacker's name server would. */
export async function openBrowser({ hostRules }: { readonly hostRules?: string } = {}): Promise<TestBrowser> {
  const rules = hostRules === undefined ? [] : [`--host-resolver-rules=${hostRules}`];
  const browser = await launch(rules);
  return new TestBrowser(await browser.newContext(), () => browser.close());
}

/** One Chromium for the tests of a file, since starting one costs more than most tests do: each opens a browser of its own in it. */
export class SharedChromium implements AsyncDisposable {
  #launched: Promise<Browser> | undefined;

  async open(): Promise<TestBrowser> {
    const context = await (await (this.#launched ??= launch())).newContext();
    return new TestBrowser(context, () => context.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#launched)?.close();
  }
}

async function launch(rules: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({ executablePath, args: [...args, ...rules] });
}
