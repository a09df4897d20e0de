import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Part, ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import type { BrowserInput } from './browser-input.ts';
import { failed } from '../tool-outcomes.ts';
import { ActProblem } from './act-on-page.ts';
import { actInBrowser } from './browser-act.ts';
import { describeNotes } from './describe-page.ts';
import type { SessionBrowser } from './session-browser.ts';
import type { SessionBrowsers } from './session-browsers.ts';

export interface RunActDeps {
  readonly browsers: SessionBrowsers;
  readonly context: ToolContext;
  readonly filesFolder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Runs an act to an outcome within its time. A page that does not answer loses its tab; the others stay. */
export async function runAct(input: BrowserInput, deps: RunActDeps): Promise<ToolOutcome> {
  const { browsers, context, signal } = deps;
  const opened: { browser?: SessionBrowser } = {};
  try {
    const parts = await withinLimit(runInside(input, deps, opened), deps);
    return { type: 'done', parts };
  } catch (thrown) {
    if (signal.aborted) return { type: 'interrupted' };
    return describeEnd(thrown, opened.browser, deps);
  } finally {
    browsers.rest(context.sessionId);
  }
}

async function runInside(
  input: BrowserInput,
  deps: RunActDeps,
  opened: { browser?: SessionBrowser },
): Promise<readonly Part[]> {
  const { browsers, context, filesFolder } = deps;
  const browser = await browsers.open(context.sessionId, input.action === 'open' ? 'storage' : 'tabs');
  opened.browser = browser;
  try {
    return await actInBrowser(input, { browser, context, filesFolder });
  } finally {
    // What cannot be kept now is kept by the next act; a browser that died has nothing more to keep.
    await browser.keep('cookies').catch(() => undefined);
  }
}

function describeEnd(thrown: unknown, browser: SessionBrowser | undefined, deps: RunActDeps): ToolOutcome {
  if (thrown instanceof TimeLimit) {
    if (browser?.page !== undefined) browser.abandon(browser.page);
    return failed(`the page did not answer within ${deps.limitMs / 1000} s, and its tab was closed`);
  }
  if (browser?.isAlive === false)
    return failed('the browser ended unexpectedly; the next call opens it again, with its tabs');
  const source = browser?.page?.url() ?? '';
  const notes = browser === undefined ? [] : describeNotes(browser, source, deps.context.idempotencyKey);
  return failed([describeFailure(thrown), ...notes].join('\n'));
}

class TimeLimit extends Error {}

async function withinLimit<Result>(
  work: Promise<Result>,
  { clock, signal, limitMs }: Pick<RunActDeps, 'clock' | 'signal' | 'limitMs'>,
): Promise<Result> {
  const over = new AbortController();
  const limit = clock.sleep(limitMs, AbortSignal.any([signal, over.signal])).then(() => {
    throw new TimeLimit();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

/** Playwright's messages begin with the name of its function, and end with a log of what it tried. */
function describeFailure(thrown: unknown): string {
  if (thrown instanceof ActProblem) return thrown.message;
  const [first = ''] = describeError(thrown).split('\n');
  return stripVTControlCharacters(first).replace(/^\w+\.\w+: (?:Error: )?/, '');
}
