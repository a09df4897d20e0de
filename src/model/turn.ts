import type { CallId, NodeId, PersonId, SessionId, TurnId } from '../base/ids.ts';
import type { AssistantMessage, Part, ToolCall, ToolOutcome } from './message.ts';
import type { Finish, ModelFailure, Usage } from './provider.ts';
import type { RuntimeName } from './runtime.ts';

export interface TurnRef {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
}

export type Verdict = 'approved' | 'denied';

/** Why a running turn is told to end. A stop settles it; a shutdown leaves it unsettled for the next start. */
export type AbortCause = { readonly type: 'stop'; readonly by: PersonId } | { readonly type: 'shutdown' };

/** How a turn ended. */
export type TurnResult =
  | { readonly type: 'replied'; readonly text: string; readonly ending: 'complete' | 'out-of-budget' | 'cut-short' }
  | { readonly type: 'interrupted'; readonly by: PersonId }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'parked'; readonly reason: string };

/** The log is the turn: each entry is durable before the act that it announces. */
export type TurnEntry =
  | { readonly type: 'turn.admitted'; readonly parts: readonly Part[]; readonly person: PersonId }
  | { readonly type: 'turn.claimed'; readonly owner: NodeId; readonly epoch: number }
  | { readonly type: 'turn.released' }
  | { readonly type: 'turn.steered'; readonly parts: readonly Part[]; readonly person: PersonId }
  | { readonly type: 'turn.nudged'; readonly cause: NudgeCause; readonly text: string }
  | { readonly type: 'step.asked'; readonly runtime: RuntimeName; readonly digest: string }
  | {
      readonly type: 'step.finished';
      readonly message: AssistantMessage;
      readonly finish: Finish;
      readonly usage: Usage;
    }
  | { readonly type: 'step.failed'; readonly failure: ModelFailure; readonly next: AfterFailure }
  | { readonly type: 'approval.asked'; readonly callId: CallId; readonly digest: string; readonly question: string }
  | {
      readonly type: 'approval.answered';
      readonly callId: CallId;
      readonly digest: string;
      readonly by: PersonId | null;
      readonly verdict: Verdict;
    }
  | { readonly type: 'tool.called'; readonly call: ToolCall }
  | { readonly type: 'tool.settled'; readonly callId: CallId; readonly outcome: ToolOutcome }
  | { readonly type: 'turn.settled'; readonly result: TurnResult };

/**
 * What follows a failed call: the same again, the same on a fresh connection, the next runtime of the chain (by its
 * place in it), or the end of the turn.
 */
export type AfterFailure =
  | { readonly type: 'retry' }
  | { readonly type: 'recover' }
  | { readonly type: 'fall-back'; readonly to: number }
  | { readonly type: 'give-up' };

/** Why the program itself spoke to the model: the answer was cut, was empty, or the budget of steps is used up. */
export type NudgeCause = 'cut' | 'empty' | 'budget';

/** An entry as the store keeps it: `seq` counts up by one within a session and orders everything in it. */
export interface LoggedEntry extends TurnRef {
  readonly seq: number;
  readonly at: number;
  readonly entry: TurnEntry;
}

/** What a watcher sees of a running turn: durable entries as they are written, and previews that are never stored. */
export type StepEvent =
  | { readonly type: 'entry'; readonly logged: LoggedEntry }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'call.begun'; readonly name: string }
  | { readonly type: 'tool.progress'; readonly callId: CallId; readonly text: string }
  | { readonly type: 'notice'; readonly text: string };
