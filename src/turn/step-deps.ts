import type { Clock } from '../base/clock.ts';
import type { Approvals } from '../model/approvals.ts';
import type { CompactionSettings } from '../model/config.ts';
import type { Effort } from '../model/provider.ts';
import type { IsAwake, Runtime } from '../model/runtime.ts';
import type { FrozenPrompt } from '../model/session.ts';
import type { Blobs, StoreTx } from '../model/store.ts';
import type { StepEvent } from '../model/turn.ts';
import type { Conversation } from './conversation.ts';
import type { CoolDowns } from './cool-downs.ts';
import type { Purse } from './purse.ts';
import type { Recorder } from './recorder.ts';
import type { RuntimeClients } from './runtime-clients.ts';

/** What a step of a turn works with. */
export interface StepDeps {
  readonly recorder: Recorder;
  readonly conversation: Conversation;
  readonly clients: RuntimeClients;
  readonly coolDowns: CoolDowns;
  /** Where in the chain the turn began: at the primary, unless that one rests. */
  readonly startPlace: number;
  /** A compaction may put another in its place, and nothing else does. */
  readonly prompt: FrozenPrompt;
  readonly maxOutputTokens: number | undefined;
  readonly effort: Effort | undefined;
  readonly compaction: CompactionSettings;
  readonly purse: Purse;
  readonly blobs: Pick<Blobs, 'read' | 'put'>;
  readonly approvals: Approvals;
  /** Keeps an answer that the turn goes on from, in the transaction of its next request. */
  readonly keepAnswer: (tx: StoreTx, text: string) => Promise<void>;
  readonly clock: Clock;
  readonly emit: (event: StepEvent) => void;
}

/** The place in the chain that the turn is at. A chain that became shorter meanwhile begins anew. */
export function currentPlace({ recorder, clients, startPlace }: StepDeps): number {
  const place = recorder.state.place ?? startPlace;
  return place < clients.chain.length ? place : 0;
}

/** Which runtimes may be asked at this moment. */
export function awakeNow({ coolDowns, clock }: Pick<StepDeps, 'coolDowns' | 'clock'>): IsAwake {
  const nowMs = clock.monotonic();
  return (runtime) => coolDowns.find(runtime, nowMs) === undefined;
}

export function currentRuntime(deps: StepDeps): Runtime {
  return deps.clients.chain[currentPlace(deps)] ?? deps.clients.chain[0];
}
