import type { BrowserContext, Dialog, Download, Page, Request, Response } from 'playwright-core';
import { describeStatus } from '../web/describe-status.ts';
import type { GuardedProxy } from './guarded-proxy.ts';
import type { KeptState, KeptStateFile, StorageState } from './kept-state.ts';

const mostTabs = 8;
const mostNotes = 20;
const longestNote = 300;

/**
 * The browser of one session: its own cookies and its own tabs, one of which is in front. What pages do by themselves is
 * noted until somebody reads it.
 */
export class SessionBrowser {
  readonly #context: BrowserContext;
  readonly #proxy: Pick<GuardedProxy, 'refusalOf'>;
  readonly #file: KeptStateFile;
  readonly #tabs: Page[] = [];
  readonly #notes: string[] = [];
  readonly #news: string[] = [];
  #front: Page | undefined;
  #storage: StorageState;

  constructor(context: BrowserContext, parts: SessionBrowserParts) {
    this.#context = context;
    this.#proxy = parts.proxy;
    this.#file = parts.file;
    this.#storage = parts.storage;
    context.on('page', (page) => this.#welcome(page));
    context.on('requestfailed', (request) => this.#noteRefusal(request));
  }

  get page(): Page | undefined {
    return this.#front;
  }

  /** Whether the process behind it runs. */
  get isAlive(): boolean {
    return this.#context.browser()?.isConnected() ?? false;
  }

  get tabs(): readonly Page[] {
    return this.#tabs;
  }

  /** The tab in front, or a new one where there is none. */
  async needPage(): Promise<Page> {
    return this.#front ?? (await this.#context.newPage());
  }

  bringToFront(page: Page): void {
    this.#front = page;
  }

  /** What happened since this was last asked. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  /** The same of what we ourselves have to say. */
  takeNews(): readonly string[] {
    return this.#news.splice(0);
  }

  tell(text: string): void {
    this.#news.push(`[${text}]`);
  }

  note(text: string): void {
    if (this.#notes.length < mostNotes) this.#notes.push(text.slice(0, longestNote).toWellFormed());
  }

  /** Loads the tabs of an earlier time again. One that does not load is left out. */
  async restore({ tabs, front }: KeptState): Promise<void> {
    for (const url of tabs.slice(0, mostTabs)) {
      const page = await this.#context.newPage();
      await page.goto(url, { waitUntil: 'domcontentloaded' }).catch(() => page.close());
    }
    this.#front = this.#tabs[front] ?? this.#tabs.at(-1);
    if (tabs.length > 0) this.tell('the browser was closed meanwhile; its tabs were loaded again');
  }

  /** Keeps cookies and tabs, as they are after every act. What pages store besides takes longer, and waits for the end. */
  async keep(what: 'cookies' | 'all'): Promise<void> {
    this.#storage =
      what === 'all'
        ? await this.#context.storageState()
        : { ...this.#storage, cookies: await this.#context.cookies() };
    const tabs = this.#tabs.filter((page) => /^https?:/.test(page.url()));
    const front = Math.max(
      0,
      tabs.findIndex((page) => page === this.#front),
    );
    await this.#file.write({ storage: this.#storage, tabs: tabs.map((page) => page.url()), front });
  }

  /** A tab that no longer answers: it is gone at once, whenever it ends. */
  abandon(page: Page): void {
    this.#bidFarewell(page);
    void page.close().catch(() => undefined);
  }

  async forget(): Promise<void> {
    await this.#file.remove();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  #welcome(page: Page): void {
    if (this.#tabs.length >= mostTabs) {
      this.note(`there are ${mostTabs} tabs; the page wanted another one, which was closed`);
      void page.close().catch(() => undefined);
      return;
    }
    this.#tabs.push(page);
    this.#front = page;
    page.on('close', () => this.#bidFarewell(page));
    page.on('crash', () => this.#leaveCrashed(page));
    page.on('dialog', (dialog) => this.#dismiss(dialog));
    page.on('download', (download) => this.#cancel(download));
    page.on('response', (response) => this.#noteFailure(response, page));
  }

  #bidFarewell(page: Page): void {
    const place = this.#tabs.indexOf(page);
    if (place !== -1) this.#tabs.splice(place, 1);
    if (this.#front === page) this.#front = this.#tabs.at(-1);
  }

  #leaveCrashed(page: Page): void {
    this.note(`the page ${page.url()} crashed, and its tab was closed`);
    void page.close().catch(() => undefined);
  }

  /** A page waits for its dialog, and whoever drives it would, too. */
  #dismiss(dialog: Dialog): void {
    this.note(`the page showed a dialog (${dialog.type()}), which was dismissed: ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined);
  }

  /** Nothing that a page offers lands on the disk by itself. */
  #cancel(download: Download): void {
    this.note(
      `the page offered a download, which was not taken: ${download.suggestedFilename()} from ${download.url()}`,
    );
    void download.cancel().catch(() => undefined);
  }

  /** What a server says in the place of a page may look like any other, or like nothing. */
  #noteFailure(response: Response, page: Page): void {
    const status = response.status();
    if (status < 400 || !response.request().isNavigationRequest() || response.frame() !== page.mainFrame()) return;
    this.note(`${response.url().slice(0, 100)} answered ${describeStatus(status)}`);
  }

  #noteRefusal(request: Request): void {
    const reason = this.#proxy.refusalOf(request.url());
    if (reason !== undefined) this.note(`not loaded: ${request.url().slice(0, 100)} (${reason})`);
  }
}

export interface SessionBrowserParts {
  readonly proxy: Pick<GuardedProxy, 'refusalOf'>;
  readonly file: KeptStateFile;
  readonly storage: StorageState;
}
