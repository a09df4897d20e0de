import type { Rendered, SearchHit } from './render-job.ts';

interface ResultElement {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): ResultElement | null;
  querySelectorAll(selector: string): Iterable<ResultElement>;
}

/** The hits on a page of results of DuckDuckGo, without advertisements. */
export async function readHits(html: string): Promise<Rendered> {
  const { parseHTML } = await import('linkedom');
  const document = parseHTML(html).document as unknown as ResultElement;
  const hits = [...document.querySelectorAll('.result:not(.result--ad)')].flatMap(readHit);
  if (hits.length > 0) return { type: 'hits', hits, page: 'results' };
  // The page on which a person has to prove to be one.
  const isChallenge = document.querySelector('.anomaly-modal__title, #challenge-form') !== null;
  if (isChallenge) return { type: 'hits', hits, page: 'challenge' };
  const isEmpty = document.querySelector('.no-results') !== null;
  return { type: 'hits', hits, page: isEmpty ? 'results' : 'unknown' };
}

function readHit(element: ResultElement): readonly SearchHit[] {
  const link = element.querySelector('a.result__a');
  const url = targetOf(link?.getAttribute('href') ?? '');
  if (link === null || url === undefined) return [];
  const excerpt = element.querySelector('.result__snippet')?.textContent ?? '';
  return [{ title: link.textContent ?? '', url, excerpt }];
}

/** Links go through a page that counts them; where they lead is in its query. */
function targetOf(href: string): string | undefined {
  if (!URL.canParse(href, 'https://duckduckgo.com')) return undefined;
  const url = new URL(href, 'https://duckduckgo.com');
  const target = url.searchParams.get('uddg');
  if (target !== null) return target;
  return url.hostname.endsWith('duckduckgo.com') ? undefined : url.href;
}
