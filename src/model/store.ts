import type { BlobId, NodeId, OutboxId, PersonId, ReservationId, ScheduleId, SessionId, TurnId } from '../base/ids.ts';
import type { InboundKey, Outbound, OutboundFile, OutboundKind, Receipt } from './channel.ts';
import type { MicroUsd } from './money.ts';
import type { Usage } from './provider.ts';
import type { CacheLife, RuntimeName } from './runtime.ts';
import type { Address, FrozenPrompt, Session, SessionSettings } from './session.ts';
import type { LoggedEntry, SaidMessage, TurnEntry, TurnRef } from './turn.ts';

/** The right to write: who holds a newer epoch of the lease shuts out everyone with an older one. */
export interface Fence {
  readonly lease: string;
  readonly epoch: number;
}

/** A turn without a result. */
export interface WaitingTurn extends TurnRef {
  /** The turn that is stopped for this one. */
  readonly interrupts?: TurnId;
  /** The message that its answer is shown as a reply to. */
  readonly replyTo?: SaidMessage;
}

export interface TurnLog {
  /**
   * Appends entries in order and returns them as they are kept. With a fence it throws `fenced` once a newer epoch of
   * that lease exists. Settled turns take no more entries: that, too, is `fenced`.
   */
  append(turn: TurnRef, entries: readonly TurnEntry[], fence?: Fence): Promise<readonly LoggedEntry[]>;
  /** The entries of a session behind a sequence number, in order. */
  after(sessionId: SessionId, seq: number): Promise<readonly LoggedEntry[]>;
  /**
   * Turns without a result, of one session or of all, in the order in which they run: oldest admission first, but one that
   * interrupts another right behind that one, and first of all once it is settled.
   */
  unsettled(sessionId?: SessionId): Promise<readonly WaitingTurn[]>;
  /** The latest questions and answers about consent, of all sessions, in the order in which they were written. */
  consents(limit: number): Promise<readonly LoggedEntry[]>;
}

export interface SessionFilter {
  readonly platform?: string;
  /** Those of one chat, in whatever thread of it; of one member, or those that all share. */
  readonly chat?: Pick<Address, 'platform' | 'account' | 'chat' | 'member'>;
  /** Those that this person began. */
  readonly person?: PersonId;
  /** Leaves out those in which nothing was ever said. */
  readonly stage?: 'begun';
  readonly limit: number;
}

export interface NewSession {
  readonly address: Address;
  readonly person: PersonId;
  readonly workdir: string;
}

export interface Sessions {
  /** The session at the address, made if there is none. */
  at(where: NewSession): Promise<Session>;
  /**
   * A new session at the address, which answers there from now on. The old one stays and can be found by its id; that its
   * task is to be closed is on record by that.
   */
  renew(where: NewSession): Promise<Session>;
  /**
   * Makes an existing session the one that answers at its address, or moves it to another one and answers there, where it is
   * somebody's if one is named. It counts as active from now on.
   */
  resume(id: SessionId, at?: Address, person?: PersonId): Promise<Session>;
  /** The session that answers at the address, if there is one. */
  find(address: Address): Promise<Session | undefined>;
  get(id: SessionId): Promise<Session | undefined>;
  /**
   * The sessions whose id begins with the text, with or without the `ses_`, or else ends with it; for ids that people type. A
   * character or two match nothing.
   */
  matching(written: string): Promise<readonly Session[]>;
  /** Most recently active first. */
  list(filter: SessionFilter): Promise<readonly Session[]>;
  setTitle(id: SessionId, title: string): Promise<void>;
  freeze(id: SessionId, prompt: FrozenPrompt): Promise<void>;
  /** What the session was frozen with. It is long, and few who look at a session need it. */
  frozenPrompt(id: SessionId): Promise<FrozenPrompt | undefined>;
  /** Replaces what was chosen for this session, which counts as active by that. */
  configure(id: SessionId, settings: SessionSettings): Promise<void>;
  /** Removes the session and everything that is kept for it, here and in the free pages of the file. */
  delete(id: SessionId): Promise<void>;
}

export interface Inbox {
  /**
   * Notes that a message was taken in: in the write that admits its turn, or before a command runs. A key that was ever noted
   * before is a duplicate, for good.
   */
  note(key: InboundKey): Promise<'new' | 'duplicate'>;
}

export interface NewOutbound {
  readonly sessionId: SessionId;
  readonly address: Address;
  readonly kind: OutboundKind;
  readonly text: string;
  readonly files?: readonly OutboundFile[];
  readonly replyTo?: string;
  readonly notAfter: number;
  /** Set where it has arrived by being written down, so that nothing is left to send. */
  readonly state?: 'sent';
}

export interface QueuedOutbound {
  readonly message: Outbound;
  readonly attempts: number;
  readonly state: 'queued' | 'sending' | 'sent' | 'failed' | 'expired';
}

/** A message of a session, whatever became of it, and where it stands among the entries of the log. */
export interface KeptOutbound {
  /** Rises with every message, of whatever session. */
  readonly number: number;
  /** The last entry of the session when the message was queued. */
  readonly afterSeq: number;
  readonly at: number;
  readonly message: Outbound;
}

export interface Outbox {
  enqueue(message: NewOutbound): Promise<OutboxId>;
  /**
   * What is to be sent for a platform, at one address or at all, in order for each address; a row that an earlier process left in `sending` comes
   * back as a `repeat`. A row that must wait holds back those behind it; one past its time becomes `expired` and does not.
   */
  due(platform: string, now: number, address?: Address): Promise<readonly QueuedOutbound[]>;
  /** Where something waits on a platform, and the time from which it may be sent. */
  waiting(platform: string): Promise<readonly { readonly address: Address; readonly at: number }[]>;
  /** Written before the send begins. */
  sending(id: OutboxId): Promise<void>;
  settle(id: OutboxId, receipt: Receipt, now: number): Promise<void>;
  get(id: OutboxId): Promise<QueuedOutbound | undefined>;
  /** The messages of a session behind a number, in order. */
  after(sessionId: SessionId, number: number): Promise<readonly KeptOutbound[]>;
}

export type LeaseGrant =
  | { readonly type: 'held'; readonly epoch: number }
  | { readonly type: 'taken'; readonly by: NodeId; readonly until: number };

export interface Leases {
  /** Takes a lease that is free, expired or already ours; the epoch rises with every change of hands. */
  acquire(name: string, owner: NodeId, ttlMs: number): Promise<LeaseGrant>;
  /** False where the lease has passed to someone else. */
  renew(name: string, owner: NodeId, ttlMs: number): Promise<boolean>;
  release(name: string, owner: NodeId): Promise<void>;
}

export interface Blobs {
  /** Keeps text for a session. The same text has the same id. */
  put(sessionId: SessionId, text: string): Promise<BlobId>;
  read(sessionId: SessionId, id: BlobId): Promise<string | undefined>;
}

export interface SearchHit extends TurnRef {
  readonly seq: number;
  readonly at: number;
  readonly author: 'user' | 'assistant' | 'tool';
  /** The text around the match; matches stand between « and ». */
  readonly snippet: string;
}

export interface Search {
  /** Entries that contain the words, or, failing those, the text as a substring. Best first. */
  find(query: string, limit: number): Promise<readonly SearchHit[]>;
  /** What people said last on a platform, in all its sessions; newest first. */
  lastSaid(platform: string, limit: number): Promise<readonly string[]>;
}

export interface Schedule {
  readonly id: ScheduleId;
  readonly address: Address;
  readonly person: PersonId;
  readonly cron: string;
  readonly prompt: string;
  readonly nextAt: number;
}

export interface Schedules {
  put(schedule: Schedule): Promise<void>;
  list(): Promise<readonly Schedule[]>;
  due(now: number): Promise<readonly Schedule[]>;
  /** Takes one slot of a schedule and sets the next. False where someone took that slot before: each fires at most once. */
  claim(id: ScheduleId, slot: number, nextAt: number): Promise<boolean>;
  remove(id: ScheduleId): Promise<void>;
}

export interface SpendLimit {
  readonly scope: string;
  readonly limit: MicroUsd;
}

export type Reserved =
  | { readonly type: 'reserved'; readonly id: ReservationId }
  | { readonly type: 'over-limit'; readonly scope: string; readonly spent: MicroUsd; readonly limit: MicroUsd };

export interface Money {
  /** Sets an amount aside in all scopes or in none; what others have set aside counts as spent. */
  reserve(amount: MicroUsd, limits: readonly SpendLimit[]): Promise<Reserved>;
  /** Replaces what was set aside by what it cost. A second settling changes nothing. */
  settle(id: ReservationId, cost: MicroUsd): Promise<void>;
  spent(scope: string): Promise<MicroUsd>;
}

/** What one call of a model took. */
export interface UsageRecord {
  readonly turnId: TurnId;
  /** Undefined once the session was deleted. */
  readonly sessionId: SessionId | undefined;
  readonly at: number;
  readonly runtime: RuntimeName;
  readonly purpose: 'answer' | 'compaction';
  readonly usage: Usage;
  /** How long the server was told to keep what it wrote, if it can be told: the price depends on it. Undefined: not noted. */
  readonly cacheLife: CacheLife | undefined;
}

export interface Usages {
  add(turn: TurnRef, record: Pick<UsageRecord, 'runtime' | 'purpose' | 'usage' | 'cacheLife'>): Promise<void>;
  /** Oldest first; of one session or of all, from a time on. */
  list(filter: { readonly sessionId?: SessionId; readonly since?: number }): Promise<readonly UsageRecord[]>;
}

/** Someone, and what they were called when they came; a name is only shown. */
export interface NamedPerson {
  readonly person: PersonId;
  readonly name?: string;
}

/** Someone who was let in: a guest by a code, an owner by a link that was made at the machine itself. */
export interface PairedPerson extends NamedPerson {
  readonly since: number;
  readonly role: 'owner' | 'guest';
}

export interface People {
  /** Those who were let in, longest first. */
  list(): Promise<readonly PairedPerson[]>;
  has(person: PersonId): Promise<boolean>;
  /** Who was given a code from a time on, and when; used and replaced codes included. */
  offers(since: number): Promise<readonly { readonly person: PersonId; readonly at: number }[]>;
  /** Keeps the digest of a code. It replaces an earlier code of the same person. */
  offer(
    code: NamedPerson & { readonly digest: string; readonly at: number; readonly expiresAt: number },
  ): Promise<void>;
  /** Lets in whoever was given the code, which is used up by that. Undefined where there is none that counts. */
  admit(digest: string, now: number): Promise<PersonId | undefined>;
  /** Keeps the digest of a code that makes whoever brings it an owner. It replaces an earlier one. */
  inviteOwner(code: { readonly digest: string; readonly expiresAt: number }): Promise<void>;
  /** Makes an owner of the person who brought the code, which is used up by that. False where there is none that counts. */
  admitOwner(digest: string, who: NamedPerson, now: number): Promise<boolean>;
  /** Takes access back, and a code that was handed out with it. False where the person was not let in. */
  remove(person: PersonId): Promise<boolean>;
}

/** Browsers that were let in. Only digests of their secrets are kept. */
export interface WebLogins {
  add(login: { readonly digest: string; readonly since: number; readonly expiresAt: number }): Promise<void>;
  has(digest: string, now: number): Promise<boolean>;
  remove(digest: string): Promise<void>;
  /** Ends all of them, and says how many there were. */
  removeAll(): Promise<number>;
}

/** A chat that is told what belongs to no chat, and who wished it. */
export interface HomeChat {
  readonly address: Address;
  readonly person: PersonId;
  readonly since: number;
}

/** One home chat a platform. */
export interface HomeChats {
  /** The one that was named last comes first. */
  list(): Promise<readonly HomeChat[]>;
  set(home: HomeChat): Promise<void>;
}

/** What the agent remembers between sessions, by the name of its file. */
export interface Memory {
  load(): Promise<readonly { readonly name: string; readonly text: string }[]>;
  save(name: string, text: string): Promise<void>;
}

/** Says that a session has work. Delivered at least once to every listener of the machine that serves it. */
export interface Wake {
  wake(sessionId: SessionId): void;
  onWake(listener: (sessionId: SessionId) => void): Disposable;
}

export interface Signal {
  readonly type: 'stop';
  readonly by: PersonId;
  /** The turn that it is meant for; left out: whichever runs, or is about to. */
  readonly turnId?: TurnId;
}

/** Reaches the running turn of a session, wherever it runs. */
export interface Signals {
  send(sessionId: SessionId, signal: Signal): void;
  onSignal(sessionId: SessionId, listener: (signal: Signal) => void): Disposable;
}

/** The parts of the store that can change together. */
export interface StoreTx {
  readonly turns: TurnLog;
  readonly sessions: Sessions;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly blobs: Blobs;
  readonly schedules: Schedules;
  readonly money: Money;
  readonly usages: Usages;
  readonly people: People;
  readonly webLogins: WebLogins;
  readonly homeChats: HomeChats;
}

/** What stands on disk. Every method is a promise that resolves when its change is durable. */
export interface Store extends StoreTx {
  readonly search: Search;
  /** All of the work or none of it. Inside it only `tx` is awaited. */
  transaction<Result>(work: (tx: StoreTx) => Promise<Result>): Promise<Result>;
  /**
   * Deletes sessions that were last active before the time and have no unsettled turn, gives the space back to the file
   * system, and says which went.
   */
  prune(activeBefore: number): Promise<readonly SessionId[]>;
  close(): Promise<void>;
}
