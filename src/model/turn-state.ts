import type { PersonId, TurnId } from '../base/ids.ts';
import type { AssistantMessage, ImagePart, ToolCall, ToolOutcome } from './message.ts';
import { partsToText, picturesOf } from './message.ts';
import type { Finish, ModelFailure } from './provider.ts';
import type { CacheLife, RuntimeName } from './runtime.ts';
import type {
  AfterFailure,
  Announcement,
  Compaction,
  NudgeCause,
  Purpose,
  ReachedLimit,
  TurnEntry,
  TurnResult,
} from './turn.ts';

/** A call that the log has no outcome for, and how far it got. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly stage: 'not-started' | 'started';
  /** What a person said to the question that it asked. */
  readonly answer?: string;
  /** An answer to the question whether it may run, given before it could start. */
  readonly approval: { readonly digest: string; readonly verdict: 'approved' | 'denied' } | undefined;
}

/** The newest answer of the model in this turn. */
export interface LastAnswer {
  readonly message: AssistantMessage;
  readonly finish: Finish;
}

type AskedEntry = Extract<TurnEntry, { readonly type: 'step.asked' }>;

/** What the entries of one turn add up to: all that decides what may happen next, so that a restart decides the same. */
export interface TurnState {
  /** Who admitted the turn. */
  readonly person: PersonId | undefined;
  /** What the turn is for, where it is not to answer a message. */
  readonly purpose: Purpose | undefined;
  /** The turn that was stopped for this one. */
  readonly interrupts: TurnId | undefined;
  readonly result: TurnResult | undefined;
  /** Starts of this turn in a row that no orderly release followed, the present one included: all before it were crashes. */
  readonly unreleasedStarts: number;
  readonly stepsFinished: number;
  readonly failuresInARow: number;
  /** How many of those were calls cut off by the length limit. */
  readonly cutCallsInARow: number;
  readonly gaveUp: ModelFailure | undefined;
  /** What the user can do about the failure that the turn gave up on. */
  readonly advice: string | undefined;
  /** Whether the present call already had its one try on a fresh connection. */
  readonly hasRecovered: boolean;
  /** Whether the present call was already made again without what the models had thought. */
  readonly hasForgottenReasoning: boolean;
  /** Whether the present call already had its key printed anew. */
  readonly hasRefreshedKey: boolean;
  /** How often the present call changed keys. */
  readonly rotations: number;
  /** How often this turn was told that the conversation is too long and had it shortened. */
  readonly compactionsAfterFailure: number;
  /** Set while a server waits for a shorter conversation. */
  readonly overflow: ModelFailure | undefined;
  /** The newest compaction of this turn. */
  readonly compacted: Pick<Compaction, 'before' | 'after'> | undefined;
  /** Whether this turn took a compaction back. */
  readonly hasRestored: boolean;
  /** Whether this turn took another one back. */
  readonly hasUndone: boolean;
  /** Whether this turn has asked a model anything. */
  readonly hasAsked: boolean;
  /** The place in the runtime chain that this turn fell back to; undefined while it is where it began. */
  readonly place: number | undefined;
  /** Set while the newest thing in the turn is an answer of the model. */
  readonly answer: LastAnswer | undefined;
  /** The beginning of an answer that was cut off by length and is being continued. */
  readonly textSoFar: string;
  readonly openCalls: readonly OpenCall[];
  /** What the tools of this turn made to be shown with the reply. */
  readonly pictures: readonly ImagePart[];
  /** Steering that no request has carried yet. */
  readonly waitingSteers: number;
  readonly nudges: Readonly<Record<NudgeCause, number>>;
  /** Steps in a row in which no call could even start: unknown tools, arguments that do not fit. */
  readonly misfitSteps: number;
  readonly isMisfitStep: boolean;
  /** The limit of money that ended the turn. */
  readonly stoppedByLimit: string | undefined;
  /** Whether somebody allowed this turn to pass its limits. */
  readonly isLimitLifted: boolean;
  /** The call that the log has no end of. Whoever takes the turn over has none: it will not be answered any more. */
  readonly asking: AskingCall | undefined;
  /** What whoever waits was told last about a restart. Each thing is told once. */
  readonly announced: Announcement | undefined;
}

export interface AskingCall {
  readonly runtime: RuntimeName;
  readonly purpose: 'answer' | 'compaction';
  readonly cacheLife: CacheLife | undefined;
}

const initialState: TurnState = {
  person: undefined,
  purpose: undefined,
  interrupts: undefined,
  result: undefined,
  unreleasedStarts: 0,
  stepsFinished: 0,
  failuresInARow: 0,
  cutCallsInARow: 0,
  gaveUp: undefined,
  advice: undefined,
  hasRecovered: false,
  hasForgottenReasoning: false,
  hasRefreshedKey: false,
  rotations: 0,
  compactionsAfterFailure: 0,
  overflow: undefined,
  compacted: undefined,
  hasRestored: false,
  hasUndone: false,
  hasAsked: false,
  place: undefined,
  answer: undefined,
  textSoFar: '',
  openCalls: [],
  pictures: [],
  waitingSteers: 0,
  nudges: { cut: 0, empty: 0, budget: 0, news: 0 },
  misfitSteps: 0,
  isMisfitStep: false,
  stoppedByLimit: undefined,
  isLimitLifted: false,
  asking: undefined,
  announced: undefined,
};

/** Folds the entries of one turn, in order. Pure. */
export function foldTurn(entries: Iterable<TurnEntry>): TurnState {
  let state = initialState;
  for (const entry of entries) state = foldEntry(state, entry);
  return state;
}

export function foldEntry(state: TurnState, entry: TurnEntry): TurnState {
  switch (entry.type) {
    case 'turn.claimed':
      return { ...state, asking: undefined, unreleasedStarts: state.unreleasedStarts + 1, gaveUp: undefined };
    case 'turn.released':
      return { ...state, asking: undefined, unreleasedStarts: 0 };
    case 'turn.announced':
      return { ...state, announced: entry.what };
    case 'turn.steered':
      return { ...state, waitingSteers: state.waitingSteers + 1 };
    case 'turn.nudged':
      return foldNudge(state, entry.cause);
    case 'step.asked':
      return foldAsked(state, entry);
    case 'step.finished':
      return foldAnswer(state, { message: entry.message, finish: entry.finish });
    case 'step.failed':
      return foldFailure(state, entry.failure, entry.next);
    case 'approval.answered':
      return changeOpenCall(state, entry.callId, { approval: { digest: entry.digest, verdict: entry.verdict } });
    case 'question.answered':
      return changeOpenCall(state, entry.callId, { answer: entry.text });
    case 'tool.called':
      return { ...changeOpenCall(state, entry.call.id, { stage: 'started' }), isMisfitStep: false };
    case 'tool.settled':
      return foldSettledCall(state, entry.callId, entry.outcome);
    case 'turn.settled':
      return { ...state, result: entry.result };
    case 'turn.admitted':
      return { ...state, person: entry.person, purpose: entry.purpose, interrupts: entry.interrupts };
    case 'limit.reached':
      return foldLimit(state, entry);
    case 'context.compacted':
      return { ...state, asking: undefined, overflow: undefined, compacted: entry };
    case 'context.restored':
      return { ...state, hasRestored: true };
    case 'context.undone':
      return { ...state, hasUndone: true };
    case 'compaction.asked':
      return { ...state, asking: { runtime: entry.runtime, purpose: 'compaction', cacheLife: undefined } };
    case 'approval.asked':
      return state;
  }
}

/** What the model has answered whole, where the turn asks it again all the same: something was said meanwhile. Pure. */
export function answeredBefore({ answer, textSoFar }: TurnState): string | undefined {
  if (answer === undefined || answer.finish === 'length' || answer.message.calls.length > 0) return undefined;
  const text = textSoFar + partsToText(answer.message.parts);
  return text.trim() === '' ? undefined : text;
}

function foldAsked(state: TurnState, { runtime, cacheLife }: AskedEntry): TurnState {
  return {
    ...state,
    waitingSteers: 0,
    gaveUp: undefined,
    overflow: undefined,
    answer: undefined,
    // An answer that was whole is in the conversation; what is said to whoever steered it on is another.
    textSoFar: state.answer === undefined || state.answer.finish === 'length' ? state.textSoFar : '',
    hasAsked: true,
    asking: { runtime, purpose: 'answer', cacheLife },
  };
}

const noFailures = {
  failuresInARow: 0,
  cutCallsInARow: 0,
  gaveUp: undefined,
  advice: undefined,
  hasRecovered: false,
  hasForgottenReasoning: false,
  hasRefreshedKey: false,
  rotations: 0,
} as const;

function foldFailure(before: TurnState, failure: ModelFailure, next: AfterFailure): TurnState {
  const state = { ...before, asking: undefined };
  switch (next.type) {
    case 'retry':
      return countFailure(state, failure);
    case 'recover':
      return { ...countFailure(state, failure), hasRecovered: true };
    case 'give-up':
      return { ...countFailure(state, failure), gaveUp: failure, advice: next.advice, overflow: undefined };
    // Another runtime starts with a clean slate: nothing that failed before was its doing.
    case 'fall-back':
      return { ...state, ...noFailures, overflow: undefined, place: next.to };
    case 'rotate':
      return { ...state, failuresInARow: 0, hasRefreshedKey: false, rotations: state.rotations + 1, place: next.to };
    case 'refresh-key':
      return { ...state, hasRefreshedKey: true };
    case 'compact':
      return { ...state, compactionsAfterFailure: state.compactionsAfterFailure + 1, overflow: failure };
    case 'forget-reasoning':
      return { ...state, hasForgottenReasoning: true };
    case 'withhold-images':
      return state;
  }
}

function countFailure(state: TurnState, failure: ModelFailure): TurnState {
  const isCutCall = failure.type === 'unusable' && failure.kind === 'cut-call';
  return {
    ...state,
    failuresInARow: state.failuresInARow + 1,
    cutCallsInARow: state.cutCallsInARow + (isCutCall ? 1 : 0),
    gaveUp: undefined,
  };
}

function foldLimit(state: TurnState, { verdict, detail }: ReachedLimit): TurnState {
  return verdict === 'lifted' ? { ...state, isLimitLifted: true } : { ...state, stoppedByLimit: detail };
}

function foldNudge(state: TurnState, cause: NudgeCause): TurnState {
  const nudges = { ...state.nudges, [cause]: state.nudges[cause] + 1 };
  // News come between any two requests, and say nothing about how the asking goes.
  if (cause === 'news') return { ...state, nudges };
  return { ...state, ...noFailures, answer: undefined, nudges };
}

function foldAnswer(state: TurnState, answer: LastAnswer): TurnState {
  const isCutText = answer.finish === 'length' && answer.message.calls.length === 0;
  return {
    ...state,
    ...noFailures,
    asking: undefined,
    stepsFinished: state.stepsFinished + 1,
    answer,
    textSoFar: isCutText ? state.textSoFar + partsToText(answer.message.parts) : state.textSoFar,
    isMisfitStep: answer.message.calls.length > 0,
    openCalls: answer.message.calls.map((call) => ({ call, stage: 'not-started', approval: undefined })),
  };
}

function changeOpenCall(state: TurnState, callId: string, change: Partial<OpenCall>): TurnState {
  const openCalls = state.openCalls.map((open) => (open.call.id === callId ? { ...open, ...change } : open));
  return { ...state, openCalls };
}

function foldSettledCall(state: TurnState, callId: string, outcome: ToolOutcome): TurnState {
  const openCalls = state.openCalls.filter((open) => open.call.id !== callId);
  const isMisfitStep = state.isMisfitStep && outcome.type === 'failed';
  const misfitSteps = openCalls.length > 0 ? state.misfitSteps : isMisfitStep ? state.misfitSteps + 1 : 0;
  const pictures = [...state.pictures, ...picturesOf(outcome)];
  return { ...state, openCalls, pictures, answer: undefined, textSoFar: '', isMisfitStep, misfitSteps };
}
