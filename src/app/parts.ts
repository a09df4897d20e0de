import type { Models } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ModelNews } from '../gateway/model-news.ts';
import type { OutboxPostbox } from '../gateway/postbox.ts';
import type { Background } from '../model/background.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { FileHistory } from '../model/file-history.ts';
import type { Faults } from '../model/faults.ts';
import type { ProjectServersSource } from '../model/project-servers.ts';
import type { Store } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import type { ToolServers } from '../model/tool-servers.ts';
import type { Secrets } from '../store/home/env-file.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import type { SessionFiles } from '../store/home/session-files.ts';
import type { LiveSettings } from '../store/home/live-settings.ts';
import type { FilePromptSources } from '../store/prompt/prompt-sources.ts';

/** What the program is put together from. */
export interface AppParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: HomeFolder;
  readonly secrets: Secrets;
  readonly settings: LiveSettings;
  readonly models: Models;
  readonly modelNews: ModelNews;
  readonly warnings: readonly string[];
  readonly log: Log;
  readonly store: Store;
  readonly toolbox: Toolbox & AsyncDisposable;
  /** What sessions left running, for people. */
  readonly background: Background;
  readonly checkpoints: FileHistory;
  readonly postbox: OutboxPostbox;
  /** Where more tools come from. */
  readonly toolServers: ToolServers & AsyncDisposable;
  /** Files that were sent to sessions. */
  readonly files: SessionFiles;
  /** `safe` leaves out what could keep the program from starting: whatever is loaded from outside of it asks here first. */
  readonly start: 'usual' | 'safe';
  readonly sources: FilePromptSources;
  readonly projects: ProjectServersSource;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}
