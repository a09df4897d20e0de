import type { ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import { markForeign } from '../../base/foreign-text.ts';
import { done, failed } from '../tool-outcomes.ts';
import { secretLeaving } from './assess-leaving.ts';
import { fetchUrl } from './fetch-url.ts';
import { judgeUrl } from './judge-url.ts';
import { readExceptions } from './private-exceptions.ts';
import { mostBytesOf, renderFetched } from './render-fetched.ts';
import { carriesSecret } from './url-secrets.ts';
import type { WebToolDeps } from './web-tool-deps.ts';

export interface FetchWish {
  readonly url: string;
  readonly offset: number | undefined;
}

const pageLength = 30_000;
const mostHops = 5;
const accept =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, application/pdf;q=0.8, */*;q=0.1';

/** Fetches a page and returns a stretch of its text. */
export async function runWebFetch(wish: FetchWish, deps: WebToolDeps, context: ToolContext): Promise<ToolOutcome> {
  const exceptions = readExceptions(deps.settings().allowPrivate);
  const verdict = judgeUrl(wish.url, exceptions);
  if (verdict.type === 'unfit') return failed(verdict.reason);
  if (verdict.type === 'barred') return { type: 'refused', reason: verdict.reason };
  context.progress(`fetching ${verdict.url.host}`);
  const { network, clock } = deps;
  const objection = (url: URL): string | undefined =>
    carriesSecret(url.href, deps.credentials()) ? secretLeaving : undefined;
  const rules = { network, exceptions, objection, mostHops, mostBytes: mostBytesOf, clock };
  const fetched = await fetchUrl({ url: verdict.url, headers: { accept } }, rules, context.signal);
  if (fetched.type !== 'fetched') {
    return fetched.type === 'barred' ? { type: 'refused', reason: fetched.reason } : failed(fetched.reason);
  }
  const page = await renderFetched(fetched, clock, context.signal);
  if (page.type === 'failed') return failed(page.reason);
  return done(showStretch(page.text, wish.offset ?? 0, fetched.url.href, context.idempotencyKey));
}

/** How much of it there is comes first: that is the line that people see. */
function showStretch(text: string, offset: number, source: string, key: string): string {
  const start = Math.min(Math.max(0, offset), text.length);
  const end = Math.min(text.length, start + pageLength);
  const stretch = markForeign(text.slice(start, end).toWellFormed(), source, key);
  if (start === 0 && end === text.length) return `${text.length} characters\n${stretch}`;
  const next = end < text.length ? `; go on with offset ${end}` : '';
  return `characters ${start} to ${end} of ${text.length}${next}\n${stretch}`;
}
