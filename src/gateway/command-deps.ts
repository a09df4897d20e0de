import type { AgentCache } from '../agents/agent-cache.ts';
import type { Models } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Background } from '../model/background.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Inbound } from '../model/channel.ts';
import type { FileHistory } from '../model/file-history.ts';
import type { Part } from '../model/message.ts';
import type { Settings } from '../model/settings.ts';
import type { Signals, Store, Wake } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import type { ToolServers } from '../model/tool-servers.ts';
import type { Purpose, TurnRef } from '../model/turn.ts';
import type { PendingApprovals } from './approvals.ts';
import type { Lanes } from './lanes.ts';
import type { ModelNews } from './model-news.ts';
import type { PendingQuestions } from './questions.ts';
import type { Restart } from './restart.ts';
import type { ShownCheckpoints } from './shown-checkpoints.ts';
import type { StandingConsents } from './standing-consents.ts';
import type { Tellings } from './tellings.ts';
import type { Yolo } from './yolo.ts';

/** Work on the conversation that is admitted as a turn. */
export interface Work {
  readonly type: 'work';
  readonly purpose: Purpose;
  /** What the turn is about; left out: what was typed. */
  readonly parts?: readonly Part[];
  /** What its sender is told at once. */
  readonly told?: string;
}

/** What a command comes to: a text that its sender reads, one in even columns, work, a restart once that text is safe, or the end of a turn. */
export type CommandOutcome =
  | string
  | Work
  | { readonly type: 'listing'; readonly reply: string }
  | { readonly type: 'restart'; readonly reply: string }
  | ({ readonly type: 'stopping' } & StoppedTurn);

/** A turn that was told to end. When it has, it says so itself. */
export interface StoppedTurn {
  readonly turn: TurnRef;
  /** That it is being stopped, and what there is to say besides. */
  readonly reply: string;
  /** What there is to say besides; may be empty. */
  readonly besides: string;
}

export interface CommandDeps {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'isBusy' | 'running' | 'waitOf'>;
  readonly signals: Signals;
  readonly wake: Wake;
  readonly agents: Pick<AgentCache, 'evictAll'>;
  /** Closes a session that was replaced. What fails of that, the next sweep does. */
  readonly closeBeside: (sessionId: SessionId) => void;
  readonly approvals: Pick<PendingApprovals, 'answerOldest' | 'oldestAt'>;
  readonly questions: Pick<PendingQuestions, 'oldestAt'>;
  readonly yolo: Yolo;
  readonly consents: Pick<StandingConsents, 'inSession' | 'forget'>;
  readonly models: Models;
  readonly modelNews: Pick<ModelNews, 'note'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly catalogue: Catalogue;
  readonly checkpoints: FileHistory;
  readonly shownCheckpoints: ShownCheckpoints;
  /** What sessions left running. */
  readonly background: Pick<Background, 'list' | 'readEnd' | 'stop' | 'noteTold'>;
  readonly toolbox: Pick<Toolbox, 'describeFence'>;
  readonly toolServers: Pick<ToolServers, 'reload' | 'report'>;
  readonly tellings: Pick<Tellings, 'answer' | 'tell'>;
  readonly restart: Restart;
  readonly clock: Clock;
  readonly log: Log;
}

export type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;
