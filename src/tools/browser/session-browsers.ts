import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { BrowserSettings } from '../../model/config.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { KeptStateFile } from './kept-state.ts';
import { SessionBrowser } from './session-browser.ts';

export interface SessionBrowsersDeps {
  /** Holds one folder for each session. */
  readonly taskFolder: string;
  readonly launch: () => Promise<RunningChromium>;
  readonly limits: () => Pick<BrowserSettings, 'idleMs' | 'limitMs' | 'navigationMs'>;
  readonly clock: Clock;
}

interface Opened {
  readonly browser: SessionBrowser;
  /** Ends the wait for it to be idle. */
  idling: AbortController;
}

/**
 * The browsers of all sessions: one process, one context for each session, opened when it is needed and closed when nobody
 * has used it for a while. The process goes with the last of them.
 */
export class SessionBrowsers {
  readonly #deps: SessionBrowsersDeps;
  readonly #opened = new Map<SessionId, Promise<Opened>>();
  /** Those of them that are open already. */
  readonly #ready = new Map<SessionId, Opened>();
  readonly #idling = new Set<Promise<void>>();
  #process: Promise<RunningChromium> | undefined;

  constructor(deps: SessionBrowsersDeps) {
    this.#deps = deps;
  }

  /** The browser of a session as it is now, which may be none. */
  peek(sessionId: SessionId): SessionBrowser | undefined {
    return this.#ready.get(sessionId)?.browser;
  }

  /** Whether there is something to go on with, open or kept. */
  has(sessionId: SessionId): boolean {
    return this.#opened.has(sessionId) || existsSync(this.#pathOf(sessionId));
  }

  /** The browser of a session, opened where it is not. `load` says whether the tabs of an earlier time are wanted. */
  async open(sessionId: SessionId, load: 'tabs' | 'storage'): Promise<SessionBrowser> {
    const { browser, idling } = await this.#open(sessionId, load);
    idling.abort();
    return browser;
  }

  /** Nobody uses it for now, even if a page still works on something: if that lasts it is closed. */
  rest(sessionId: SessionId): void {
    void this.#opened.get(sessionId)?.then(
      (opened) => this.#closeWhenIdle(sessionId, opened),
      () => undefined,
    );
  }

  /** For good: nothing of it is kept. */
  async end(sessionId: SessionId): Promise<void> {
    const opened = await this.#opened.get(sessionId)?.catch(() => undefined);
    await (opened === undefined ? new KeptStateFile(this.#pathOf(sessionId)).remove() : opened.browser.forget());
    await this.#close(sessionId, 'forget');
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((sessionId) => this.#close(sessionId, 'keep')));
    await Promise.all(this.#idling);
  }

  async #open(sessionId: SessionId, load: 'tabs' | 'storage'): Promise<Opened> {
    const known = this.#opened.get(sessionId);
    if (known !== undefined) return await known;
    const opening = this.#restore(sessionId, load);
    this.#opened.set(sessionId, opening);
    try {
      const opened = await opening;
      if (this.#opened.get(sessionId) === opening) this.#ready.set(sessionId, opened);
      return opened;
    } catch (thrown) {
      this.#opened.delete(sessionId);
      await this.#endUnused();
      throw thrown;
    }
  }

  async #restore(sessionId: SessionId, load: 'tabs' | 'storage'): Promise<Opened> {
    const isFirst = this.#process === undefined;
    const { browser: chromium, proxy, sandbox } = await (this.#process ??= this.#launch());
    const file = new KeptStateFile(this.#pathOf(sessionId));
    const kept = await file.read();
    const storage = kept?.storage ?? { cookies: [], origins: [] };
    const context = await chromium.newContext({ storageState: storage, viewport: { width: 1280, height: 800 } });
    const { limitMs, navigationMs } = this.#deps.limits();
    // An element that cannot be clicked is told long before the page counts as one that does not answer.
    context.setDefaultTimeout(limitMs / 3);
    context.setDefaultNavigationTimeout(navigationMs);
    const browser = new SessionBrowser(context, { proxy, file, storage });
    if (isFirst && sandbox.type === 'off') browser.tell(`the browser runs without its sandbox: ${sandbox.reason}`);
    if (kept !== undefined && load === 'tabs') await browser.restore(kept);
    return { browser, idling: new AbortController() };
  }

  async #launch(): Promise<RunningChromium> {
    const running = await this.#deps.launch();
    running.browser.on('disconnected', () => void this.#forgetDead(running));
    return running;
  }

  /** It crashed or was ended. Every session opens another one when it needs it, with what was kept. */
  async #forgetDead(running: RunningChromium): Promise<void> {
    const isOurs = (await this.#process?.catch(() => undefined)) === running;
    if (!isOurs) return;
    this.#process = undefined;
    for (const opening of this.#opened.values()) (await opening.catch(() => undefined))?.idling.abort();
    this.#opened.clear();
    this.#ready.clear();
    await running[Symbol.asyncDispose]();
  }

  #closeWhenIdle(sessionId: SessionId, opened: Opened): void {
    opened.idling.abort();
    opened.idling = new AbortController();
    const { signal } = opened.idling;
    const idling = this.#deps.clock.sleep(this.#deps.limits().idleMs, signal).then(
      () => this.#close(sessionId, 'keep'),
      () => undefined,
    );
    this.#idling.add(idling);
    void idling.finally(() => this.#idling.delete(idling));
  }

  async #close(sessionId: SessionId, what: 'keep' | 'forget'): Promise<void> {
    const opened = await this.#opened.get(sessionId)?.catch(() => undefined);
    this.#opened.delete(sessionId);
    this.#ready.delete(sessionId);
    if (opened !== undefined) {
      opened.idling.abort();
      if (what === 'keep') await opened.browser.keep('all').catch(() => undefined);
      await opened.browser.close().catch(() => undefined);
    }
    await this.#endUnused();
  }

  async #endUnused(): Promise<void> {
    if (this.#opened.size > 0) return;
    const running = await this.#process?.catch(() => undefined);
    // Someone may have come meanwhile.
    if (this.#opened.size > 0) return;
    this.#process = undefined;
    await running?.[Symbol.asyncDispose]();
  }

  #pathOf(sessionId: SessionId): string {
    return join(this.#deps.taskFolder, sessionId, 'browser.json');
  }
}
