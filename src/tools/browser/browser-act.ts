import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { judgeImageSize } from '../../model/image.ts';
import { textPart } from '../../model/message.ts';
import type { Part } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import type { BrowserInput } from './browser-input.ts';
import { ActProblem, clickElement, goBack, openUrl, pressKey, scrollPage, typeInto } from './act-on-page.ts';
import { describeNotes, describePage } from './describe-page.ts';
import { findElement } from './find-element.ts';
import type { SessionBrowser } from './session-browser.ts';

export interface ActDeps {
  readonly browser: SessionBrowser;
  readonly context: ToolContext;
  /** Where files of sessions stand, which chats are shown. */
  readonly filesFolder: string;
}

/** Does one thing in the browser of a session, and returns what the model reads of it. */
export async function actInBrowser(input: BrowserInput, deps: ActDeps): Promise<readonly Part[]> {
  const { browser, context } = deps;
  const view = { fromLine: input.action === 'snapshot' ? (input.number ?? 1) : 1, key: context.idempotencyKey };
  const brief = await act(input, deps);
  const page = browser.page;
  if (brief !== undefined) return [...brief, ...describeNotes(browser, page?.url() ?? '', view.key).map(textPart)];
  return [textPart(page === undefined ? '[no tab is open]' : await describePage(page, browser, view))];
}

/** What there is to say instead of showing the page; undefined where the page says it. */
async function act(input: BrowserInput, deps: ActDeps): Promise<readonly Part[] | undefined> {
  const { browser } = deps;
  if (input.action === 'open') {
    await openUrl(await browser.needPage(), needed(input.url, 'url'));
    return undefined;
  }
  const page = browser.page;
  if (page === undefined) throw new ActProblem('no page is open: begin with open');
  switch (input.action) {
    case 'snapshot':
      return undefined;
    case 'click':
      await clickElement(page, needed(input.ref, 'ref'));
      return undefined;
    case 'type':
      return await type(page, input);
    case 'press':
      await pressKey(page, needed(input.text, 'text'));
      return undefined;
    case 'scroll':
      return [textPart(await scrollPage(page, input.text ?? 'down'))];
    case 'back':
      await goBack(page);
      return undefined;
    case 'screenshot':
      return await takePicture(page, input.ref, deps);
    case 'tab':
      await changeTab(browser, input.number);
      return undefined;
    case 'close':
      await page.close();
      return undefined;
  }
}

async function type(page: Page, input: BrowserInput): Promise<readonly Part[] | undefined> {
  const ref = needed(input.ref, 'ref');
  const text = input.text ?? '';
  await typeInto(page, ref, text);
  return text.endsWith('\n') ? undefined : [textPart(`[typed into ${ref}]`)];
}

async function changeTab(browser: SessionBrowser, number = 0): Promise<void> {
  const page = browser.tabs[number - 1];
  if (page === undefined) {
    const tabs = browser.tabs.map((tab, place) => `${place + 1}: ${tab.url().slice(0, 100)}`);
    throw new ActProblem(`tab takes the number of a tab: ${tabs.join(', ')}`);
  }
  browser.bringToFront(page);
  await page.bringToFront();
}

/** Kept for models that see, and as a file for the chat. */
async function takePicture(page: Page, ref: string | undefined, deps: ActDeps): Promise<readonly Part[]> {
  const { context, filesFolder } = deps;
  const { bytes, ending } = await photograph(page, ref);
  const name = `screenshot-${context.idempotencyKey.slice(-8)}.${ending}`;
  const folder = join(filesFolder, context.sessionId);
  const path = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
  const image = await context.keepImage({ bytes, name });
  if (typeof image === 'string') throw new ActProblem(`the picture cannot be shown: ${image}`);
  return [textPart('[the user is shown this with your reply]'), { ...image, path }];
}

async function photograph(page: Page, ref: string | undefined): Promise<{ bytes: Buffer; ending: 'png' | 'jpg' }> {
  const element = ref === undefined ? undefined : await findElement(page, ref);
  if (ref !== undefined && element === undefined)
    throw new ActProblem(`there is no ${ref} on the page now: take a snapshot`);
  const subject = element ?? page;
  const exact = await subject.screenshot({ type: 'png' });
  if (judgeImageSize(exact.length, '') === undefined) return { bytes: exact, ending: 'png' };
  return { bytes: await subject.screenshot({ type: 'jpeg', quality: 60 }), ending: 'jpg' };
}

function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new ActProblem(`this action needs ${name}`);
  return value;
}
