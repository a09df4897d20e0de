import type { Clock } from '../base/clock.ts';
import type { NodeId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Approvals, StandingRules } from '../model/approvals.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Channel } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import type { FileHistory } from '../model/file-history.ts';
import type { Questions } from '../model/questions.ts';
import type { Settings } from '../model/settings.ts';
import type { Signals, Store, Wake } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import type { CommandDeps } from './command-deps.ts';
import type { GatewayAgents } from './gateway-agents.ts';
import type { OutboxPostbox } from './postbox.ts';
import type { Restart } from './restart.ts';
import type { ModelNews } from './model-news.ts';

/** What the gateway is made with. */
export interface GatewayDeps {
  readonly store: Store;
  readonly wake: Wake;
  readonly signals: Signals;
  readonly channels: readonly Channel[];
  readonly owner: NodeId;
  readonly settings: Settings;
  readonly models: CommandDeps['models'];
  readonly modelNews: ModelNews;
  readonly catalogue: Catalogue;
  /** What was allowed for good. */
  readonly rules: StandingRules;
  readonly background: CommandDeps['background'];
  readonly toolServers: CommandDeps['toolServers'];
  /** Agents ask for consent through this gateway, so they are opened with its approvals. */
  readonly openAgents: (approvals: Approvals, questions: Questions) => GatewayAgents;
  readonly checkpoints: FileHistory;
  readonly postbox: Pick<OutboxPostbox, 'onPosted'>;
  readonly toolbox: Pick<Toolbox, 'describeFence' | 'hasLiveProcess' | 'sessionsWithTask' | 'onNews'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
  readonly restart: Restart;
  readonly faults: Faults | undefined;
}
