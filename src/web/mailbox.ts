import type { Clock } from '../base/clock.ts';
import type { ChatNews } from './chat-hub.ts';

type Working = Extract<ChatNews, { readonly type: 'working' }>;

const calmMs = 40;
// With many chats at work this changes all the time, and each change goes to everybody.
const chatsCalmMs = 500;
const mostNews = 500;

/**
 * News for one reader, however slow. A reply that grows is one piece of news, its latest state, and is handed out at most
 * every few milliseconds; so is, more seldom, what goes on in the chats. Nothing else ever waits for either.
 */
export class Mailbox {
  readonly #clock: Clock;
  #news: ChatNews[] = [];
  #working: Working | undefined;
  #calmUntil = 0;
  #hasChats = false;
  #chatsCalmUntil = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  put(news: ChatNews): void {
    if (news.type === 'working') {
      this.#working = news;
    } else if (news.type === 'chats') {
      if (this.#hasChats) return;
      this.#hasChats = true;
    } else {
      if (news.type === 'over') this.#working = undefined;
      // Whoever looks once finds all of it.
      if (news.type === 'kept' && this.#news.some(({ type }) => type === 'kept')) return;
      if (this.#news.length <= mostNews) this.#news.push(news);
    }
    this.#wake?.();
  }

  /** What has come, in order; nothing where nothing comes in that time. `overflow`: the reader has to begin anew. */
  async take(patienceMs: number, signal: AbortSignal): Promise<readonly ChatNews[] | 'overflow'> {
    const end = this.#clock.monotonic() + patienceMs;
    for (;;) {
      if (this.#news.length > mostNews) return 'overflow';
      const now = this.#clock.monotonic();
      const due = Math.min(this.#working ? this.#calmUntil : end, this.#hasChats ? this.#chatsCalmUntil : end);
      if (this.#news.length > 0 || (now >= due && due < end)) return this.#handOut(now);
      if (now >= end || signal.aborted) return [];
      await this.#wait(due - now, signal);
    }
  }

  #handOut(now: number): readonly ChatNews[] {
    const news = this.#news;
    if (this.#working) {
      news.push(this.#working);
      this.#calmUntil = now + calmMs;
    }
    if (this.#hasChats && now >= this.#chatsCalmUntil) {
      news.push({ type: 'chats' });
      this.#chatsCalmUntil = now + chatsCalmMs;
      this.#hasChats = false;
    }
    this.#news = [];
    this.#working = undefined;
    return news;
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    // With a reason, since an error made for each would cost more than the wait.
    const wake = (): void => woken.abort('news');
    this.#wake = wake;
    signal.addEventListener('abort', wake);
    // An abort, from either side, is what it waits for.
    await this.#clock.sleep(ms, woken.signal).catch(() => undefined);
    signal.removeEventListener('abort', wake);
    this.#wake = undefined;
  }
}
