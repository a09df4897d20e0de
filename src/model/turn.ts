import type { CallId, NodeId, PersonId, ReservationId, SessionId, TurnId } from '../base/ids.ts';
import type { AssistantMessage, Part, ToolCall, ToolOutcome } from './message.ts';
import type { MicroUsd } from './money.ts';
import type { CacheReport, Effort, Finish, ModelFailure, Usage } from './provider.ts';
import type { CacheLife, RuntimeName } from './runtime.ts';

export interface TurnRef {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
}

export type Verdict = 'approved' | 'denied';

/** How far a consent reaches: this one act, the same kind of act for the rest of the session, or for good. */
export type ConsentScope = 'once' | 'session' | 'always';

/**
 * What answers questions whether a call may run in place of a person: something that was allowed before (`yes`: by the option of
 * the command that asked), or the clock.
 */
export type ConsentRule = 'yolo' | 'session' | 'always' | 'yes' | 'timeout';

/**
 * Why a running turn is told to end. A stop settles it, and so does the watchdog, for want of activity; a shutdown leaves
 * it unsettled for the next start.
 */
export type AbortCause =
  | { readonly type: 'stop'; readonly by: PersonId }
  | { readonly type: 'inactive'; readonly reason: string }
  /** Of a call alone: nobody waits for it any more, since the program puts its turn aside. */
  | { readonly type: 'put-aside'; readonly reason: string }
  | { readonly type: 'shutdown' };

/** How a turn ended. */
export type TurnResult =
  | { readonly type: 'replied'; readonly text: string; readonly ending: 'complete' | 'out-of-budget' | 'cut-short' }
  | { readonly type: 'interrupted'; readonly by: PersonId }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'parked'; readonly reason: string };

/** The log is the turn: each entry is durable before the act that it announces. */
export type TurnEntry =
  | {
      readonly type: 'turn.admitted';
      readonly parts: readonly Part[];
      readonly person: PersonId;
      /** What the turn is for, where it is not to answer a message. */
      readonly purpose?: Purpose;
      /** The turn that was running and is stopped for this one, which comes next, before those that wait. */
      readonly interrupts?: TurnId;
      /** Set where what answers it is to be shown as a reply. The model reads nothing of it. */
      readonly replyTo?: SaidMessage;
    }
  | { readonly type: 'turn.claimed'; readonly owner: NodeId; readonly epoch: number }
  | { readonly type: 'turn.released' }
  /** Whoever waits for the turn is told that it rests while the program is stopped, or that it goes on. */
  | { readonly type: 'turn.announced'; readonly what: Announcement }
  | { readonly type: 'turn.steered'; readonly parts: readonly Part[]; readonly person: PersonId }
  | {
      readonly type: 'turn.nudged';
      readonly cause: NudgeCause;
      readonly text: string;
      /** Set where the model reads it before the message that began the turn; left out: behind everything so far. */
      readonly stands?: 'first';
    }
  | ({
      readonly type: 'step.asked';
      readonly reserved?: Reservation;
      readonly change?: PrefixChange;
      /** How long the server was told to keep what it reads, if it can be told. */
      readonly cacheLife?: CacheLife;
    } & AskedPrefix)
  | ({
      readonly type: 'step.finished';
      readonly message: AssistantMessage;
      readonly finish: Finish;
      readonly usage: Usage;
    } & CacheReport)
  | {
      readonly type: 'step.failed';
      readonly failure: ModelFailure;
      readonly next: AfterFailure;
      /** What an answer took that arrived and could not be used. */
      readonly usage?: Usage;
    }
  | { readonly type: 'approval.asked'; readonly callId: CallId; readonly digest: string; readonly question: string }
  | {
      readonly type: 'approval.answered';
      readonly callId: CallId;
      readonly digest: string;
      readonly by: PersonId | null;
      readonly verdict: Verdict;
      /** What answered in place of a person: whoever is named had allowed it. */
      readonly rule?: ConsentRule;
      /** How far the answer reaches, where it is further than this call. */
      readonly scope?: Exclude<ConsentScope, 'once'>;
      /** What the rule or the scope covers, as people see it. */
      readonly covers?: string;
    }
  /** What a person said to a question that a running call has for them. */
  | { readonly type: 'question.answered'; readonly callId: CallId; readonly by: PersonId; readonly text: string }
  | { readonly type: 'tool.called'; readonly call: ToolCall }
  | { readonly type: 'tool.settled'; readonly callId: CallId; readonly outcome: ToolOutcome }
  | { readonly type: 'compaction.asked'; readonly runtime: RuntimeName; readonly reserved?: Reservation }
  | ({ readonly type: 'limit.reached' } & ReachedLimit)
  | ({ readonly type: 'context.compacted' } & Compaction)
  | { readonly type: 'context.restored' }
  /** From here on the model no longer reads that turn. */
  | { readonly type: 'context.undone'; readonly turn: TurnId }
  | { readonly type: 'turn.settled'; readonly result: TurnResult };

/** A message of a person, as its platform knows it. */
export interface SaidMessage {
  /** The key of the place where it stands, whoever's conversation it belongs to: elsewhere its id is that of another. */
  readonly place: string;
  readonly id: string;
}

export type Announcement = 'pause' | 'return';

/** Work on the conversation itself, done as a turn so that it waits its turn and survives a crash. */
export type Purpose =
  | { readonly type: 'compact'; readonly focus: string }
  | { readonly type: 'undo-compaction' }
  /** What that turn was asked, in short; older entries do not have it. */
  | { readonly type: 'undo'; readonly turn: TurnId; readonly said?: string }
  /** Takes a turn back and says the same again. The note tells the model what that turn did; it may be empty. */
  | { readonly type: 'retry'; readonly turn: TurnId; readonly note: string };

/** Money set aside for a call before it is sent. */
export interface Reservation {
  readonly id: ReservationId;
  readonly amount: MicroUsd;
}

/** A limit of money that the next call could pass. `lifted` is for the rest of the turn. */
export interface ReachedLimit {
  /** For people: "of a day ($4.80 of $5.00 are spent)". */
  readonly detail: string;
  readonly verdict: 'stopped' | 'lifted';
  /** Who was asked; null where nobody was, or nobody answered. */
  readonly by: PersonId | null;
}

/** What a request began with, so that the next one can be held against it. */
export interface AskedPrefix {
  readonly runtime: RuntimeName;
  /** The digest of its protocol and address: behind another one is another server, under whatever name. */
  readonly server?: string;
  /** The signature of the frozen prompt that it carried. */
  readonly prompt: string;
  /** How many messages it carried, and the digest of them all. */
  readonly messages: number;
  readonly digest: string;
  readonly effort?: Effort;
  /** Undefined where the model may call tools. */
  readonly toolUse?: 'forbidden';
}

/** Why a request does not extend the one before it at the same model; the server's cache of it is lost from there on. */
export interface PrefixChange {
  readonly cause: PrefixCause;
  /** For people: "tool list changed: github added". */
  readonly detail: string;
  /**
   * The first byte that differs, counted from the beginning of system prompt, tools and messages. Where the messages of
   * the last request are not known any more, it is the first of all messages.
   */
  readonly byte: number;
}

export type PrefixCause =
  | 'first'
  | 'address'
  | 'prompt'
  | 'compacted'
  | 'restored'
  | 'undone'
  | 'reasoning'
  | 'images'
  | 'effort'
  | 'tool-choice'
  | 'unexplained';

/** A place in the conversation: behind so many messages of a turn, and behind every turn before it. */
export interface ContextMark {
  readonly turnId: TurnId;
  readonly messages: number;
}

/** What stands for the beginning of a conversation from now on. The entries that it stands for stay where they are. */
export interface Compaction {
  readonly through: ContextMark;
  /**
   * The message of the marked turn that stays in sight behind the summary, counted from 1: what the turn is about, where
   * it was shortened in the middle of its work.
   */
  readonly holds?: number;
  /** What was written about it. */
  readonly summary: string;
  /** What the model reads in its place: the user's own words, and the summary. Kept as it was first sent. */
  readonly text: string;
  /** `program` where no model could be had for it. */
  readonly writtenBy: RuntimeName | 'program';
  readonly usage: Usage;
  /** Estimated tokens of the conversation before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * What follows a failed call: the same again, the same on a fresh connection, the same with a key that is printed anew, the
 * same with another key or the next runtime of the chain (by its place in it), the same with a shorter conversation, the same without what the vendor's
 * models thought so far, the same with no more than a mention of the images so far, or the end of the turn, with a word on
 * what can be done about it.
 */
export type AfterFailure =
  | { readonly type: 'retry' }
  | { readonly type: 'recover' }
  | { readonly type: 'refresh-key' }
  | { readonly type: 'rotate'; readonly to: number }
  | { readonly type: 'fall-back'; readonly to: number }
  | { readonly type: 'compact' }
  | { readonly type: 'forget-reasoning'; readonly of: string }
  | { readonly type: 'withhold-images'; readonly from: RuntimeName }
  | { readonly type: 'give-up'; readonly advice?: string };

/**
 * Why the program itself spoke to the model: the answer was cut, was empty, the budget of steps is used up, or something
 * that the session had left running has ended.
 */
export type NudgeCause = 'cut' | 'empty' | 'budget' | 'news';

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
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'waiting'; readonly wait: Wait }
  /** Said by the gateway, again and again, while nothing else is seen of the turn: what it waits for, in one line. */
  | { readonly type: 'status'; readonly text: string };

/** What a turn begins to wait for, where its entries do not tell. */
export type Wait =
  | {
      readonly type: 'model';
      readonly runtime: RuntimeName;
      /** Which try of this call it is there, of about how many. */
      readonly attempt: number;
      readonly mostAttempts: number;
      /** Who is asked if this one cannot answer. */
      readonly next?: RuntimeName;
      /** Set where it is asked only after a pause. */
      readonly pauseMs?: number;
    }
  | { readonly type: 'summary'; readonly runtime: RuntimeName }
  | { readonly type: 'person' }
  | {
      readonly type: 'tools';
      readonly calls: readonly ToolCall[];
      /** Set where they had begun when the program ended, and what comes of them is waited for. */
      readonly begun?: 'before';
    }
  /** The disk, or whoever holds the store. */
  | { readonly type: 'store'; readonly reason: string };
