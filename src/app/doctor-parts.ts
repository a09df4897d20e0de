import type { Clock } from '../base/clock.ts';
import type { LoadedConfig } from '../store/home/config-file.ts';
import type { Secrets } from '../store/home/env-file.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';

export interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** What is looked at, none of it opened for more than that. */
export interface DoctorParts extends Around {
  readonly home: HomeFolder;
  readonly secrets: Secrets;
  /** Of a home whose settings cannot be used these are the defaults. */
  readonly loaded: LoadedConfig;
}
