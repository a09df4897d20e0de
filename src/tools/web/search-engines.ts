import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { SearchBackend, SearchSettings } from '../../model/search-settings.ts';
import type { SearchHit } from './render-job.ts';

/** An engine that can be asked now: where it is, and how. */
export interface SearchEngine {
  readonly name: string;
  readonly ask: (query: string, limit: number) => EngineRequest;
  /** The hits in an answer; undefined where it is of another form. `page` stands for an answer that is a web page. */
  readonly read: 'page' | ((text: string) => readonly SearchHit[] | undefined);
  /** What is told besides when it refuses. */
  readonly advice: string;
  /** The host that the settings name, and that may therefore be a private one. */
  readonly ownHost: string | undefined;
}

export interface EngineRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ChosenEngine =
  | { readonly type: 'engine'; readonly engine: SearchEngine }
  | { readonly type: 'none'; readonly reason: string };

type Secret = (name: string) => string | undefined;

/** The engine of the settings, or the first that there is a key or an address for; without any, the one that needs none. */
export function chooseEngine(settings: SearchSettings, secret: Secret): ChosenEngine {
  const backend = settings.backend ?? findBackend(settings, secret);
  switch (backend) {
    case 'searxng': {
      const address = settings.baseUrl ?? secret('SEARXNG_URL');
      return address === undefined
        ? none('searxng needs its address: search.base_url in the settings, or SEARXNG_URL')
        : open(address, (base) => searxng(base));
    }
    case 'brave':
      return withKey(settings, secret, braveKeys, (key) =>
        open(settings.baseUrl ?? 'https://api.search.brave.com', (base) => brave(base, key)),
      );
    case 'tavily':
      return withKey(settings, secret, tavilyKeys, (key) =>
        open(settings.baseUrl ?? 'https://api.tavily.com', (base) => tavily(base, key)),
      );
    case 'duckduckgo':
      return open(settings.baseUrl ?? 'https://html.duckduckgo.com', duckduckgo);
  }

  function open(address: string, make: (base: URL) => Omit<SearchEngine, 'ownHost'>): ChosenEngine {
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return none('search.base_url is no address');
    const base = new URL(address);
    const isChosen = settings.baseUrl !== undefined || backend === 'searxng';
    return { type: 'engine', engine: { ...make(base), ownHost: isChosen ? base.host : undefined } };
  }
}

const braveKeys = ['BRAVE_API_KEY', 'BRAVE_SEARCH_API_KEY'] as const;
const tavilyKeys = ['TAVILY_API_KEY'] as const;

function findBackend({ baseUrl }: SearchSettings, secret: Secret): SearchBackend {
  if (baseUrl !== undefined || secret('SEARXNG_URL') !== undefined) return 'searxng';
  if (braveKeys.some((name) => secret(name) !== undefined)) return 'brave';
  return tavilyKeys.some((name) => secret(name) !== undefined) ? 'tavily' : 'duckduckgo';
}

function withKey(
  { keyEnv }: SearchSettings,
  secret: Secret,
  usual: readonly string[],
  make: (key: string) => ChosenEngine,
): ChosenEngine {
  const names = keyEnv === undefined ? usual : [keyEnv];
  const key = names.map(secret).find((value) => value !== undefined);
  return key === undefined ? none(`there is no key for the search in ${names.join(' or ')}`) : make(key);
}

function none(reason: string): ChosenEngine {
  return { type: 'none', reason };
}

type EngineOf = Omit<SearchEngine, 'ownHost'>;

function searxng(base: URL): EngineOf {
  return {
    name: 'SearXNG',
    ask: (query) => ({
      url: at(base, 'search', { q: query, format: 'json' }),
      headers: { accept: 'application/json' },
    }),
    read: (text) => readResults(parseJson(text), 'content'),
    advice: 'its settings.yml has to list json under search.formats',
  };
}

function brave(base: URL, key: string): EngineOf {
  return {
    name: 'Brave',
    ask: (query, limit) => ({
      url: at(base, 'res/v1/web/search', { q: query, count: String(limit), text_decorations: 'false' }),
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    read: (text) => {
      const answer = parseJson(text);
      if (!isJsonObject(answer)) return undefined;
      // An answer without hits has no list of them.
      return answer['web'] === undefined ? [] : readResults(answer['web'], 'description');
    },
    advice: 'the key may be wrong, or used up',
  };
}

function tavily(base: URL, key: string): EngineOf {
  return {
    name: 'Tavily',
    ask: (query, limit) => ({
      url: at(base, 'search', {}),
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: limit, search_depth: 'basic' }),
    }),
    read: (text) => readResults(parseJson(text), 'content'),
    advice: 'the key may be wrong, or used up',
  };
}

function duckduckgo(base: URL): EngineOf {
  return {
    name: 'DuckDuckGo',
    ask: (query) => ({ url: at(base, 'html/', { q: query }), headers: { accept: 'text/html' } }),
    read: 'page',
    advice:
      'without a key it lets programs search only now and then; another engine can be named under search: in the settings',
  };
}

/** A path below the address, which may have one of its own. */
function at(base: URL, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function readResults(answer: Json | undefined, excerpt: string): readonly SearchHit[] | undefined {
  const results = isJsonObject(answer) ? answer['results'] : undefined;
  if (!Array.isArray(results)) return undefined;
  return (results as readonly Json[]).flatMap((result) => {
    if (!isJsonObject(result) || typeof result['url'] !== 'string') return [];
    return [{ title: textOf(result['title']), url: result['url'], excerpt: textOf(result[excerpt]) }];
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
