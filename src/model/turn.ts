import type { CallId, NodeId, PersonId, SessionId, TurnId } from '../base/ids.ts';
import type { AssistantMessage, Part, ToolCall, ToolOutcome } from './message.ts';
import type { Finish, ModelFailure, Usage } from './provider.ts';
import type { RuntimeName } from './runtime.ts';

export interface TurnRef {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
}

export type Verdict = 'approved' | 'denied';

/** How a turn ended. A shutdown is not an end: it leaves the turn unsettled for the next start. */
export type TurnResult =
  | { readonly type: 'replied'; readonly text: string; readonly ending: 'complete' | 'out-of-budget' | 'cut-short' }
  | { readonly type: 'interrupted'; readonly by: PersonId }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'parked'; readonly reason: string };

/** The log is the turn: each entry is durable before the act that it announces. */
export type TurnEntry =
  | { readonly type: 'turn.admitted'; readonly parts: readonly Part[]; readonly person: PersonId }
  | { readonly type: 'turn.claimed'; readonly owner: NodeId; readonly epoch: number }
  | { readonly type: 'turn.steered'; readonly parts: readonly Part[]; readonly person: PersonId }
  | { readonly type: 'turn.nudged'; readonly cause: NudgeCause; readonly text: string }
  | { readonly type: 'step.asked'; readonly runtime: RuntimeName; readonly digest: string }
  | {
      readonly type: 'step.finished';
      readonly message: AssistantMessage;
      readonly finish: Finish;
      readonly usage: Usage;
    }
  | { readonly type: 'step.failed'; readonly failure: ModelFailure; readonly next: 'retry' | 'give-up' }
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
  | { readonly type: 'context.compacted'; readonly upTo: number; readonly summary: string }
  | { readonly type: 'turn.settled'; readonly result: TurnResult };

/** Why the program itself spoke to the model: the answer was cut, was empty, or the budget of steps is used up. */
export type NudgeCause = 'cut' | 'empty' | 'budget';

/** An entry as the store keeps it: `seq` counts up by one within a session and orders everything in it. */
export interface LoggedEntry extends TurnRef {
  readonly seq: number;
  readonly at: number;
  readonly entry: TurnEntry;
}

/** A call that the log has no outcome for, and how far it got. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly stage: 'not-started' | 'started';
}

/** What the entries of one turn add up to. */
export interface TurnState {
  readonly result: TurnResult | undefined;
  readonly claims: number;
  readonly stepsFinished: number;
  readonly lastMessage: AssistantMessage | undefined;
  readonly lastFinish: Finish | undefined;
  readonly openCalls: readonly OpenCall[];
  /** Steering that no request has carried yet. */
  readonly waitingSteers: number;
}

/** Folds the entries of one turn, in order, into the state that decides what may happen next. Pure. */
export function foldTurn(entries: readonly TurnEntry[]): TurnState {
  let state: TurnState = {
    result: undefined,
    claims: 0,
    stepsFinished: 0,
    lastMessage: undefined,
    lastFinish: undefined,
    openCalls: [],
    waitingSteers: 0,
  };
  for (const entry of entries) state = foldEntry(state, entry);
  return state;
}

export function foldEntry(state: TurnState, entry: TurnEntry): TurnState {
  switch (entry.type) {
    case 'turn.claimed':
      return { ...state, claims: state.claims + 1 };
    case 'turn.steered':
      return { ...state, waitingSteers: state.waitingSteers + 1 };
    case 'step.asked':
      return { ...state, waitingSteers: 0 };
    case 'step.finished':
      return {
        ...state,
        stepsFinished: state.stepsFinished + 1,
        lastMessage: entry.message,
        lastFinish: entry.finish,
        openCalls: entry.message.calls.map((call) => ({ call, stage: 'not-started' })),
      };
    case 'tool.called':
      return {
        ...state,
        openCalls: state.openCalls.map((open) =>
          open.call.id === entry.call.id ? { ...open, stage: 'started' } : open,
        ),
      };
    case 'tool.settled':
      return { ...state, openCalls: state.openCalls.filter((open) => open.call.id !== entry.callId) };
    case 'turn.settled':
      return { ...state, result: entry.result };
    case 'turn.admitted':
    case 'turn.nudged':
    case 'step.failed':
    case 'approval.asked':
    case 'approval.answered':
    case 'context.compacted':
      return state;
  }
}

/** What a watcher sees of a running turn: durable entries as they are written, and previews that are never stored. */
export type StepEvent =
  | { readonly type: 'entry'; readonly logged: LoggedEntry }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'call.begun'; readonly name: string }
  | { readonly type: 'tool.progress'; readonly callId: CallId; readonly text: string }
  | { readonly type: 'notice'; readonly text: string };
