import type { Json } from '../base/json.ts';
import type { Config } from './config.ts';

/** The settings of one moment: as the program uses them, and as the user wrote them. */
export interface SettingsState {
  readonly config: Config;
  /** What the file says, parsed and no more: before defaults and checks. Null where there is no file. */
  readonly user: Json;
}

/** Keys below a path in the settings, under the names that they have in the file; undefined takes one out. */
export interface SettingsChange {
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, Json | undefined>>;
}

/** Something that people should know about an edit of the file. */
export interface SettingsNews {
  readonly text: string;
  /** Whether it still is so: false once the file was mended. */
  stands(): boolean;
}

/** The settings while the program runs. */
export interface Settings {
  /** As they were last read: another object whenever they have changed. */
  readonly current: SettingsState;
  /** Looks at the file and takes over what changed in it. Returns what people should know about it, each thing once. */
  refresh(): Promise<readonly SettingsNews[]>;
}
