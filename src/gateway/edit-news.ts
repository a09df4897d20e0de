import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { SettingsNews } from '../model/settings.ts';

// Whoever comes behind so many others is not told: better than to tell the first ones again.
const mostAddresses = 1000;

/** Something about an edit of the settings, and where it is known. Each place is told once, and so many of them at most. */
export class EditNews {
  readonly text: string;
  readonly #news: SettingsNews;
  readonly #knownAt = new Set<string>();

  constructor(news: SettingsNews) {
    this.text = news.text;
    this.#news = news;
  }

  /** Whether it still is so. */
  get stands(): boolean {
    return this.#news.stands();
  }

  /** Whether it has to be said at an address. From now on it is known there. */
  isNewsAt(address: Address): boolean {
    const key = addressKey(address);
    if (this.#knownAt.has(key) || this.#knownAt.size >= mostAddresses) return false;
    this.#knownAt.add(key);
    return true;
  }
}
