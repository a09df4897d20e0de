import type { PersonId } from '../base/ids.ts';
import type { ToolCall } from './message.ts';
import type { ConsentRule, TurnRef, Verdict } from './turn.ts';

/** A question to a person, bound to exactly one call by its digest. */
export interface ApprovalRequest {
  readonly turn: TurnRef;
  /** Undefined where it is about something other than a call: going on past a limit of money. */
  readonly call?: ToolCall;
  readonly digest: string;
  readonly question: string;
}

export interface ApprovalAnswer {
  readonly verdict: Verdict;
  /** Null where nobody could be asked, or nobody answered. */
  readonly by: PersonId | null;
  /** Where nobody had to be asked: what answered for the one who is named. */
  readonly rule?: ConsentRule;
}

/** Asks a person. Silence and the absence of anyone to ask are both a denial. */
export interface Approvals {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
