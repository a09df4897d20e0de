import { describeBytes } from '../../base/describe-bytes.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import { markForeign } from '../../base/foreign-text.ts';
import { cut, done, failed } from '../tool-outcomes.ts';
import { secretLeaving } from './assess-leaving.ts';
import { decodeText } from './decode-text.ts';
import { fetchUrl } from './fetch-url.ts';
import type { Fetched } from './fetch-url.ts';
import { readExceptions } from './private-exceptions.ts';
import { renderApart } from './render-apart.ts';
import type { SearchHit } from './render-job.ts';
import { chooseEngine } from './search-engines.ts';
import type { SearchEngine } from './search-engines.ts';
import { carriesSecret } from './url-secrets.ts';
import type { WebToolDeps } from './web-tool-deps.ts';
import { decodeEntities } from './words-of.ts';

export interface SearchWish {
  readonly query: string;
  readonly limit: number | undefined;
}

const usualHits = 8;
const mostHits = 20;
const mostAnswerBytes = 3 * 1024 * 1024;
const longestQuery = 2000;

/** Asks the search engine of the settings, and lists what it found. */
export async function runWebSearch(wish: SearchWish, deps: WebToolDeps, context: ToolContext): Promise<ToolOutcome> {
  const settings = deps.settings();
  if (wish.query.length > longestQuery) return failed('the query is too long');
  if (carriesSecret(wish.query, deps.credentials())) return { type: 'refused', reason: secretLeaving };
  const chosen = chooseEngine(settings, deps.secret);
  if (chosen.type === 'none') return failed(chosen.reason);
  const { engine } = chosen;
  const limit = Math.min(Math.max(1, wish.limit ?? usualHits), mostHits);
  const request = engine.ask(wish.query, limit);
  context.progress(`asking ${engine.name}`);
  const rules = {
    network: deps.network,
    exceptions: readExceptions([...settings.allowPrivate, ...(engine.ownHost === undefined ? [] : [engine.ownHost])]),
    objection: () => undefined,
    // A key stays with the server that it is for.
    mostHops: 0,
    mostBytes: () => mostAnswerBytes,
    clock: deps.clock,
  };
  const fetched = await fetchUrl(request, rules, context.signal);
  if (fetched.type !== 'fetched') return failed(`${engine.name} was not reached: ${fetched.reason}`);
  if (fetched.status !== 200) return failed(`${engine.name} answered ${fetched.status}: ${engine.advice}`);
  const hits = await readAnswer(fetched, engine, deps, context.signal);
  if (hits === undefined && fetched.extent === 'cut')
    return failed(`${engine.name} answered with more than ${describeBytes(mostAnswerBytes)}, which is not read`);
  if (hits === undefined) return failed(`${engine.name} answered, but not with results: ${engine.advice}`);
  if (hits.length === 0) return done(`${engine.name} found nothing for that.`);
  const shown = hits.slice(0, limit);
  const list = markForeign(shown.map(describeHit).join('\n\n'), engine.name, context.idempotencyKey);
  return done(`${shown.length === 1 ? '1 result' : `${shown.length} results`} of ${engine.name}\n${list}`);
}

async function readAnswer(
  { bytes, contentType }: Fetched,
  { read }: SearchEngine,
  { clock }: WebToolDeps,
  signal: AbortSignal,
): Promise<readonly SearchHit[] | undefined> {
  const text = decodeText(bytes, contentType);
  if (read !== 'page') return read(text)?.filter(isWebPage);
  const rendered = await renderApart({ type: 'hits', html: text }, clock, signal);
  return rendered.type === 'hits' && rendered.page === 'results' ? rendered.hits.filter(isWebPage) : undefined;
}

function isWebPage({ url }: SearchHit): boolean {
  return /^https?:\/\//i.test(url);
}

function describeHit({ title, url, excerpt }: SearchHit, index: number): string {
  const lines = [`${index + 1}. ${toLine(title, 200)}`, `   ${cut(url, 1000)}`, `   ${toLine(excerpt, 500)}`];
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** Engines mark the words that were searched for, as in a web page. */
function toLine(text: string, length: number): string {
  const plain = decodeEntities(text.replaceAll(/<\/?[a-z][^<>]{0,100}>/gi, ''));
  return cut(plain.replaceAll(/\s+/g, ' ').trim(), length);
}
