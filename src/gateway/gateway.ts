import { AppError, describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { within } from '../base/within.ts';
import type { PersonId, SessionId } from '../base/ids.ts';
import type { Channel, Inbound } from '../model/channel.ts';
import type { Address, Session } from '../model/session.ts';
import type { SettingsNews } from '../model/settings.ts';
import { isOwner, isOwnersPlace } from './access.ts';
import { announce, findHomeChat } from './announcements.ts';
import { PendingApprovals } from './approvals.ts';
import { ChannelStates } from './channel-states.ts';
import { deleteSession } from './delete-session.ts';
import { Deliveries } from './deliveries.ts';
import { drainSession } from './drain.ts';
import type { DrainDeps } from './drain.ts';
import { keepExpiring } from './expire-sessions.ts';
import { endAllowancesWith } from './gateway-agents.ts';
import type { GatewayAgents } from './gateway-agents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { takeIn } from './intake.ts';
import type { Intake, IntakeDeps } from './intake.ts';
import { Lanes } from './lanes.ts';
import { openDesk } from './open-desk.ts';
import { PendingQuestions } from './questions.ts';
import { receiveOrSayWhyNot } from './receive-inbound.ts';
import type { ReceptionDeps } from './receive-inbound.ts';
import { Replies } from './replies.ts';
import { RestartNotices } from './restart-notices.ts';
import { ServedChannels } from './served-channels.ts';
import { ShownCheckpoints } from './shown-checkpoints.ts';
import { SettingsWatch } from './settings-watch.ts';
import { closeSessionsOf, stopTurnsOf } from './shut-out.ts';
import { takeOverSession } from './take-over.ts';
import { takeUpLeft } from './take-up-left.ts';
import { TaskNotices } from './task-notices.ts';
import { Tellings } from './tellings.ts';
import { TurnPreviews } from './turn-previews.ts';
import { Watchers } from './watchers.ts';
import type { Watcher } from './watchers.ts';
import { StandingConsents } from './standing-consents.ts';
import { Yolo } from './yolo.ts';

// For turns that were told to end, and for the notices to those who wait for them.
const releaseMs = 5_000;
const noticesMs = 5_000;

/** From inbound to outbound: admits messages into durable turns, runs them in lanes, and sends what they settle to. */
export class Gateway implements AsyncDisposable {
  readonly #deps: GatewayDeps;
  readonly #watchers: Watchers;
  readonly #approvals: PendingApprovals;
  readonly #questions: PendingQuestions;
  readonly #lanes: Lanes;
  readonly #desk: IntakeDeps;
  readonly #deliveries: Deliveries;
  readonly #replies: Replies;
  readonly #notices: RestartNotices;
  readonly #tellings: Tellings;
  readonly #posted: Disposable;
  readonly #yolo = new Yolo();
  readonly #taskNotices: TaskNotices;
  readonly #consents: StandingConsents;
  readonly #settings: SettingsWatch;
  readonly #announce: (text: string) => Promise<void>;
  readonly #agents: GatewayAgents;
  readonly #channels: ServedChannels;
  readonly channelStates: ChannelStates;
  readonly #stopping = new AbortController();
  readonly #receiving: Promise<void>[] = [];
  /** What goes on beside the lanes, and is waited for at the end. */
  readonly #asides = new Set<Promise<void>>();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#channels = new ServedChannels(deps.channels);
    this.channelStates = new ChannelStates(deps.channels);
    this.#watchers = new Watchers((thrown) => this.#note('a watcher failed', thrown));
    const channelFor = (address: Address): Channel | undefined => this.#channels.at(address);
    this.#consents = new StandingConsents(deps.rules, deps.clock);
    this.#approvals = new PendingApprovals({
      store: deps.store,
      channelFor,
      yoloBy: (session) => this.#yolo.byWhoMay(session, deps),
      consents: this.#consents,
      isOwner: (who) => isOwner(who, deps),
      timeoutMs: () => deps.settings.current.config.approvals.timeoutMs,
      clock: deps.clock,
      log: deps.log,
    });
    const patienceMs = (): number => deps.settings.current.config.agent.clarifyMs;
    this.#questions = new PendingQuestions({ ...deps, channelFor, patienceMs });
    const { signal } = this.#stopping;
    const isHeldUp = (address: Address): boolean => this.#deliveries.isUnderWay(address);
    const serves = (address: Address): boolean => this.#channels.at(address) !== undefined;
    const send = (address: Address): Promise<void> => this.deliver(address);
    const previews = new TurnPreviews({ channelFor, isHeldUp, signal });
    this.#replies = new Replies({ channelFor, deliver: send, previews });
    this.#deliveries = new Deliveries({ ...deps, channelFor, outbox: deps.store.outbox });
    this.#notices = new RestartNotices({ ...deps, serves, deliver: send });
    this.#taskNotices = new TaskNotices({ ...deps, deliver: send });
    const tellings = new Tellings({ ...deps, channelFor, deliver: send, signal });
    this.#tellings = tellings;
    this.#announce = (text) => announce(text, { ...deps, serves, tellings });
    const findHome = (): Promise<Address | undefined> => findHomeChat({ ...deps, serves });
    const shutOut = (person: PersonId): Promise<void> => this.shutOut(person);
    this.#settings = new SettingsWatch({ ...deps, tellings, findHomeChat: findHome, shutOut });
    const allowances = { yolo: this.#yolo, consents: this.#consents };
    const agents = endAllowancesWith(deps.openAgents(this.#approvals, this.#questions), allowances);
    this.#agents = agents;
    const show: DrainDeps['show'] = ({ address }, turn, event) => {
      this.#watchers.show(address, turn, event);
      previews.show(address, turn, event);
    };
    const refreshSettings: DrainDeps['refreshSettings'] = (session) => this.lookAtSettings(session);
    const tell: DrainDeps['tell'] = (session, text) => this.#tellings.tell(session.address, text);
    const traitsAt: DrainDeps['traitsAt'] = (address) => channelFor(address)?.traits;
    const deliver: DrainDeps['deliver'] = (session, turn) => this.#replies.send(session, turn);
    this.#posted = deps.postbox.onPosted((address) => this.#keep(this.deliver(address)));
    this.#lanes = new Lanes({
      wake: deps.wake,
      signals: deps.signals,
      drain: (sessionId, lane) =>
        drainSession(sessionId, lane, { ...deps, agents, show, refreshSettings, tell, traitsAt, send, deliver }),
      onError: (sessionId, thrown) => void this.#reportDrain(sessionId, thrown),
    });
    this.#desk = this.#openDesk();
  }

  /** Begins to listen to the channels. */
  start(): void {
    const reception: ReceptionDeps = {
      takeIn: (inbound) => this.takeIn(inbound),
      tellings: this.#tellings,
      follow: (intake) => this.follow(intake),
      keep: (aside) => this.#keep(aside),
      note: (what, thrown) => this.#note(what, thrown),
      announce: this.#announce,
      takeUp: () => this.#takeUp(),
      states: this.channelStates,
      store: this.#deps.store,
      watch: (address, watcher) => this.watch(address, watcher),
      clock: this.#deps.clock,
    };
    for (const channel of this.#deps.channels)
      this.#receiving.push(receiveOrSayWhyNot(channel, reception, this.#stopping.signal));
    const serves = (address: Address): boolean => this.#channels.at(address) !== undefined;
    const expiring = { ...this.#deps, lanes: this.#lanes, agents: this.#agents, serves };
    this.#keep(keepExpiring(expiring, this.#stopping.signal));
    const isOpenToOthers = this.#deps.channels.some(({ name }) => !isOwnersPlace({ platform: name }));
    if (isOpenToOthers) this.#keep(this.#settings.keepLooking(this.#stopping.signal));
  }

  /** Goes on with everything that an earlier run left on the channels. */
  async goOn(): Promise<void> {
    await (await import('./note-crashes.ts')).noteCrashes(await this.#deps.store.turns.unsettled(), this.#deps);
    await this.#takeUp();
  }

  /** How many sessions are being served. */
  get atWork(): number {
    return this.#lanes.atWork;
  }

  /** Whether it is about to end: what arrives is written down and waits for the next start. */
  get isDraining(): boolean {
    return this.#lanes.isHeld;
  }

  /**
   * Begins no more turns and lets those that run end within the time. What is left then stays unsettled, for the next start
   * to go on with, and whoever waits for it is told. Messages that arrive meanwhile are written down.
   */
  async drain(limitMs: number): Promise<void> {
    const { clock } = this.#deps;
    const hold = async (): Promise<void> => {
      await this.#lanes.hold();
      await this.#replies.whenSent();
    };
    await within(clock, limitMs, hold());
    await within(clock, releaseMs, this.#lanes[Symbol.asyncDispose]());
    await within(clock, noticesMs, this.#notices.pauseAll());
  }

  /** Resolves when no channel brings anything any more. */
  async whenDeaf(): Promise<void> {
    await Promise.all(this.#receiving);
  }

  async takeIn(inbound: Inbound): Promise<Intake> {
    const intake = await takeIn(inbound, this.#desk);
    if (intake.type !== 'admitted' || !this.isDraining) return intake;
    // In place of whatever else there is to say: it waits for the next start.
    await this.#notices.pause(intake.turn.sessionId, intake.turn.turnId);
    return { type: 'admitted', turn: intake.turn };
  }

  /** Does what was put off until the sender was told. */
  follow(intake: Intake): void {
    const { restart } = this.#deps;
    if (intake.type === 'commanded' && intake.andThen === 'restart' && restart.type === 'kept') restart.begin();
  }

  watch(address: Address, watcher: Watcher): Disposable {
    return this.#watchers.watch(address, watcher);
  }

  /** Goes on with what is unsettled in a session. */
  resume(sessionId: SessionId): void {
    this.#deps.wake.wake(sessionId);
  }

  /** Whether a turn of a session runs, or is about to. */
  readonly isAtWork = (sessionId: SessionId): boolean => this.#lanes.isBusy(sessionId);

  /** Resolves when a session has nothing left to do, and what it said was sent if it could be. */
  async whenIdle(sessionId: SessionId): Promise<void> {
    await this.#lanes.whenIdle(sessionId);
    await this.#replies.whenSent(sessionId);
  }

  /** Takes over an edit of the settings; what is wrong with it is told to the owner who speaks alone, or else to whoever runs the program. */
  lookAtSettings(speaker?: Pick<Inbound, 'address' | 'person'>): Promise<void> {
    return this.#settings.look(speaker);
  }

  /** Tells the home chat, and each owner who speaks alone, what was wrong with the settings at the start. */
  noteSettingsAtStart(found: readonly SettingsNews[]): Promise<void> {
    return this.#settings.noteStart(found);
  }

  /** For an address where the settings were just read by whoever came there. */
  noteSettingsRead(address: Address): Promise<void> {
    return this.#settings.noteRead(address);
  }

  /** Ends what someone has running whose access was taken back. */
  async shutOut(person: PersonId): Promise<void> {
    await stopTurnsOf(person, this.#deps);
    const closing = closeSessionsOf(person, { ...this.#deps, lanes: this.#lanes, agents: this.#agents });
    this.#keep(closing.catch((thrown: unknown) => this.#note('a session was not closed', thrown)));
  }

  /** Where someone is reached alone, if a channel knows how. */
  chatWith(person: PersonId): Address | undefined {
    return this.#deps.channels.flatMap((channel) => channel.chatWith?.(person) ?? [])[0];
  }

  /** Sends what waits for an address, on the channel that serves it. */
  deliver(address: Address): Promise<void> {
    return this.#deliveries.deliver(address);
  }

  /** Serves one more channel until it leaves. What is said on it comes through `takeIn`. */
  join(channel: Channel): Disposable {
    return this.#channels.join(channel);
  }

  /** Shows the questions that are open at an address on a channel that came later. */
  async askAgain(address: Address, channel: Channel): Promise<void> {
    await this.#approvals.askAgain(address, channel, this.#stopping.signal);
    await this.#questions.askAgain(address, channel, this.#stopping.signal);
  }

  /** Takes silence for a no at an address where nobody is left to be asked. */
  giveUpAsking(address: Address): void {
    if (this.#channels.at(address)?.traits.asks === 'yes') return;
    this.#approvals.abandon(address);
    this.#questions.abandon(address);
  }

  /** Deletes a session with everything that is kept for it, and tells whoever has it open. Throws `session-busy` while it works. */
  deleteSession(sessionId: SessionId): Promise<void> {
    const live = { lanes: this.#lanes, agents: this.#agents, tellings: this.#tellings };
    return deleteSession(sessionId, { ...this.#deps, ...live });
  }

  /** Has a session go on at another address, and tells the chat that it was in. Throws `session-busy` while it works. */
  async takeOver(session: Session, to: Address): Promise<Session> {
    const live = { lanes: this.#lanes, tellings: this.#tellings, yolo: this.#yolo, consents: this.#consents };
    const taken = await takeOverSession(session, { address: to }, { ...this.#deps, ...live });
    if (taken !== 'at-work') return taken;
    throw new AppError('session-busy', `a turn is running in ${session.id}; it can be resumed when that is over`);
  }

  /** Stops listening and leaves running turns unsettled, for the next start to go on with. */
  async [Symbol.asyncDispose](): Promise<void> {
    // First of all, since a lane may be waiting for a delivery that waits for room on the disk.
    this.#stopping.abort();
    this.#posted[Symbol.dispose]();
    await this.#taskNotices[Symbol.asyncDispose]();
    const sent = this.#deliveries[Symbol.asyncDispose]();
    await this.#lanes[Symbol.asyncDispose]();
    await sent;
    await this.#replies.whenSent();
    await this.#tellings[Symbol.asyncDispose]();
    await Promise.all([...this.#receiving, ...this.#asides]);
  }

  #openDesk(): IntakeDeps {
    return openDesk({
      ...this.#deps,
      access: (from) => this.#settings.judge(from),
      lanes: this.#lanes,
      approvals: this.#approvals,
      questions: this.#questions,
      tellings: this.#tellings,
      agents: this.#agents,
      yolo: this.#yolo,
      consents: this.#consents,
      shownCheckpoints: new ShownCheckpoints(),
      lookAtSettings: (speaker) => this.lookAtSettings(speaker),
      closeBeside: (id) => this.#keep(this.#closeReplaced(id)),
      onRenewed: (old) => this.#keep(this.#endSession(old)),
    });
  }

  #takeUp(): Promise<void> {
    const serves = (address: Address): boolean => this.#channels.at(address) !== undefined;
    return takeUpLeft({ ...this.#deps, notices: this.#notices, deliveries: this.#deliveries, serves });
  }

  #keep(aside: Promise<void>): void {
    const kept = aside.finally(() => this.#asides.delete(kept));
    this.#asides.add(kept);
  }

  /** Says that another session has begun, and closes the one before it. What fails of that, the next sweep does. */
  async #endSession(old: Session): Promise<void> {
    await this.deliver(old.address);
    await this.#closeReplaced(old.id);
  }

  async #closeReplaced(id: SessionId): Promise<void> {
    await this.#agents.close(id).catch((thrown: unknown) => this.#note('a session was not closed', thrown));
  }

  async #reportDrain(sessionId: SessionId, thrown: unknown): Promise<void> {
    this.#note(`session ${sessionId} stopped being served`, thrown);
    const session = await this.#deps.store.sessions.get(sessionId).catch(() => undefined);
    const text = `This turn was put off: ${withoutFullStop(describeError(thrown))}. It goes on with your next message, or at the next start.`;
    if (session) this.#tellings.tell(session.address, text);
  }

  #note(what: string, thrown: unknown): void {
    this.#deps.log.write('error', what, { reason: describeError(thrown) });
  }
}
