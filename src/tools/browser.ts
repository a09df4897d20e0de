import type { Clock } from '../base/clock.ts';
import type { BrowserSettings } from '../model/config.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import { browserInput } from './browser/browser-input.ts';
import type { BrowserInput } from './browser/browser-input.ts';
import type { SessionBrowsers } from './browser/session-browsers.ts';
import type { UrlGuard } from './browser/url-guard.ts';
import { failed, settle, spellOutLine } from './tool-outcomes.ts';

export interface BrowserDeps {
  readonly browsers: SessionBrowsers;
  readonly guard: () => Promise<UrlGuard>;
  readonly settings: () => BrowserSettings;
  /** Takes out of a text whatever is or looks like a credential. */
  readonly redact: (text: string) => string;
  readonly filesFolder: string;
  readonly clock: Clock;
}

/** A real browser. Each session has its own tabs and cookies, which outlive agents and restarts. */
export function createBrowser(deps: BrowserDeps): Tool<BrowserInput> {
  return {
    name: 'browser',
    toolset: 'browser',
    description:
      'Use a web browser, for pages that need one. Tabs and cookies are kept. Acts return a snapshot of the page with refs of its elements; dialogs are dismissed. Screenshots are also sent to the user.',
    input: browserInput,
    effect: 'unsafe',
    assess: (input, place) => assess(input, place, deps),
    footprint: () => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => run(input, context, deps)),
    verify: () => Promise.resolve('unknown'),
  };
}

async function assess(
  { action, url = '', ref = '', text = '' }: BrowserInput,
  place: ToolPlace,
  deps: BrowserDeps,
): Promise<Risk> {
  if (action === 'open') return await assessUrl(url, deps);
  if (action !== 'type') return { type: 'safe' };
  const page = deps.browsers.peek(place.sessionId)?.page;
  if (page === undefined) return { type: 'safe' };
  const isSecret = deps.redact(text) !== text;
  const { findElement, isDelicateField } = await import('./browser/find-element.ts');
  // A page that does not answer is found out by the act itself.
  const element = await findElement(page, ref).catch(() => undefined);
  const isDelicate = element !== undefined && (await isDelicateField(element).catch(() => true));
  if (!isSecret && !isDelicate) return { type: 'safe' };
  const what = isDelicate ? 'a password, code or card number' : 'something that looks like a key';
  return {
    type: 'ask',
    question: `type ${what} (${text.length} characters) into the page ${spellOutLine(page.url())}`,
  };
}

async function assessUrl(url: string, { guard, redact }: BrowserDeps): Promise<Risk> {
  const objection = isBlank(url) ? undefined : (await guard()).judge(url);
  if (objection !== undefined) return { type: 'forbidden', reason: objection, is: 'mistake' };
  const carriesSecret = [url, decode(url)].some((reading) => redact(reading) !== reading);
  return carriesSecret
    ? { type: 'forbidden', reason: 'something in the address is or looks like a key, and would leave the machine' }
    : { type: 'safe' };
}

async function run(input: BrowserInput, context: ToolContext, deps: BrowserDeps): Promise<ToolOutcome> {
  const { browsers, settings, clock } = deps;
  const { sessionId, signal } = context;
  const isOpening = input.action === 'open';
  const risk = isOpening ? await assessUrl(input.url ?? '', deps) : undefined;
  if (risk?.type === 'forbidden') return failed(risk.reason);
  if (!isOpening && !browsers.has(sessionId)) return failed('no page is open: begin with open');
  const { limitMs, navigationMs } = settings();
  const most = isOpening || input.action === 'back' ? navigationMs : limitMs;
  context.progress(isOpening ? `opening ${input.url}` : `browser: ${input.action}`);
  const { runAct } = await import('./browser/run-act.ts');
  return await runAct(input, { browsers, context, clock, signal, limitMs: most, filesFolder: deps.filesFolder });
}

function isBlank(url: string): boolean {
  return url === 'about:blank';
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
