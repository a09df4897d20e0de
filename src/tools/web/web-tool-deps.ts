import type { Clock } from '../../base/clock.ts';
import type { SearchSettings } from '../../model/search-settings.ts';
import type { WebNetwork } from './ask-server.ts';

/** What the tools for the web are given. */
export interface WebToolDeps {
  /** As they are now. */
  readonly settings: () => SearchSettings;
  /** The value of a variable: a key, or an address. */
  readonly secret: (name: string) => string | undefined;
  /** What must not leave the machine. */
  readonly credentials: () => readonly string[];
  readonly network: WebNetwork;
  readonly clock: Clock;
}
