import type { SessionId } from '../../base/ids.ts';
import type { LoggedEntry } from '../../model/turn.ts';
import type { App, ProcessPort } from '../app-port.ts';
import type { Place } from '../choose-place.ts';
import type { TurnTranscript } from '../render/transcript.ts';

/** What a chat begins with. */
export interface ChatParts {
  readonly app: App;
  readonly process: ProcessPort;
  readonly place: Place;
  /** What the person should know first. */
  readonly notes: readonly string[];
  /** The turns of a continued session that are shown again. */
  readonly recalled: readonly TurnTranscript[];
  /** The entries so far of the turn that a gateway is at in it. */
  readonly underWay: readonly LoggedEntry[];
  /** What a session leaves running, for whoever leaves; undefined where it is nothing. */
  readonly goingOn: (sessionId: SessionId) => Promise<string | undefined>;
}
