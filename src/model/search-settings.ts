import type { Problem } from './schema.ts';

export const searchBackends = ['searxng', 'brave', 'tavily', 'duckduckgo'] as const;

export type SearchBackend = (typeof searchBackends)[number];

/** The tools for the web: who searches, and what may be fetched. */
export interface SearchSettings {
  /** Undefined: the first that there is an address or a key for. */
  readonly backend: SearchBackend | undefined;
  readonly baseUrl: string | undefined;
  /** The variable that holds the key; undefined: the usual one. */
  readonly keyEnv: string | undefined;
  /** Hosts and networks that may be fetched from though they are not public. */
  readonly allowPrivate: readonly string[];
}

interface UserSearch {
  readonly backend?: SearchBackend | undefined;
  readonly base_url?: string | undefined;
  readonly key_env?: string | undefined;
  readonly allow_private?: readonly string[] | undefined;
}

export function searchSettings(user: UserSearch = {}): SearchSettings {
  return {
    backend: user.backend,
    baseUrl: user.base_url,
    keyEnv: user.key_env,
    allowPrivate: user.allow_private ?? [],
  };
}

/** Exceptions that except nothing, in the settings of the web and of the browser alike. */
export function findExceptionDoubts(
  section: 'search' | 'browser',
  { allowPrivate }: Pick<SearchSettings, 'allowPrivate'>,
): readonly Problem[] {
  return allowPrivate
    .filter((place) => !/^[^\s/@*]+(?:\/\d+)?$/.test(place))
    .map((place) => ({
      path: [section, 'allow_private'],
      message: `${section}.allow_private: ${place} is no host: write it alone, as nas.local, 192.168.1.20:8080 or 10.0.0.0/8`,
    }));
}
