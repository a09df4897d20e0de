import type { Page } from 'playwright-core';
import { markForeign } from '../../base/foreign-text.ts';
import type { SessionBrowser } from './session-browser.ts';

const longestSnapshot = 12_000;
const longestTitle = 200;

export interface PageView {
  /** The line that the snapshot begins at. */
  readonly fromLine: number;
  /** Marks what is not ours in the result. */
  readonly key: string;
}

/** The page in front as the model reads it: where it is, its elements with their refs, and what happened meanwhile. */
export async function describePage(page: Page, browser: SessionBrowser, { fromLine, key }: PageView): Promise<string> {
  const title = await page.title();
  const snapshot = await page.ariaSnapshot({ mode: 'ai' });
  const { shown, note } = pageThrough(snapshot, fromLine);
  const said = [`title: ${title.slice(0, longestTitle).toWellFormed()}`, ...browser.takeNotes(), shown].join('\n');
  return [...browser.takeNews(), ...describeTabs(browser), markForeign(said, page.url(), key), ...note].join('\n');
}

/** The rest of what happened, where the page itself is not shown. */
export function describeNotes(browser: SessionBrowser, source: string, key: string): readonly string[] {
  const notes = browser.takeNotes();
  return [...browser.takeNews(), ...(notes.length === 0 ? [] : [markForeign(notes.join('\n'), source, key)])];
}

function describeTabs({ tabs, page }: SessionBrowser): readonly string[] {
  if (tabs.length < 2) return [];
  const place = page === undefined ? 0 : tabs.indexOf(page) + 1;
  return [`[tab ${place} of ${tabs.length}]`];
}

interface ShownLines {
  readonly shown: string;
  readonly note: readonly string[];
}

/** As many whole lines as fit, and how to get at the others. Pure. */
export function pageThrough(snapshot: string, fromLine: number): ShownLines {
  const lines = snapshot.split('\n');
  const begin = Math.min(Math.max(fromLine, 1), lines.length) - 1;
  let length = 0;
  let end = begin;
  while (end < lines.length && length + (lines[end]?.length ?? 0) < longestSnapshot) {
    length += (lines[end]?.length ?? 0) + 1;
    end += 1;
  }
  // One line may be too long by itself.
  if (end === begin) end += 1;
  const shown = lines.slice(begin, end).join('\n').slice(0, longestSnapshot).toWellFormed();
  const rest = lines.length - end;
  return { shown, note: rest === 0 ? [] : [`[${rest} more lines: snapshot with number ${end + 1}]`] };
}
