import type { AgentCache } from '../agents/agent-cache.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { newId } from '../base/ids.ts';
import type { NodeId, SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Approvals } from '../model/approvals.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Channel, Inbound, Outbound } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import type { Address } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Signals, Store, Wake } from '../model/store.ts';
import { decideAccess, isLetIn } from './access.ts';
import type { Access } from './access.ts';
import { PendingApprovals } from './approvals.ts';
import { createCommandRunner } from './commands.ts';
import type { CommandDeps, CommandRunner } from './commands.ts';
import { Deliveries } from './deliveries.ts';
import { drainSession } from './drain.ts';
import type { DrainDeps } from './drain.ts';
import { takeIn } from './intake.ts';
import type { Intake, IntakeDeps } from './intake.ts';
import { Lanes } from './lanes.ts';
import { RestartNotices } from './restart-notices.ts';
import { TurnPreviews } from './turn-previews.ts';
import { Watchers } from './watchers.ts';
import type { Watcher } from './watchers.ts';

export interface GatewayDeps {
  readonly store: Store;
  readonly wake: Wake;
  readonly signals: Signals;
  readonly channels: readonly Channel[];
  readonly owner: NodeId;
  readonly settings: Settings;
  readonly models: CommandDeps['models'];
  readonly catalogue: Catalogue;
  /** Agents ask for consent through this gateway, so they are opened with its approvals. */
  readonly openAgents: (approvals: Approvals) => Pick<AgentCache, 'lease' | 'close' | 'evictAll'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
  /** Ends the program in good order and has it come back; undefined where nobody would bring it back. */
  readonly restart?: (() => void) | undefined;
  readonly faults: Faults | undefined;
}

const mostTellings = 5;
// For turns that were told to end, and for the notices to those who wait for them.
const releaseMs = 5_000;
const noticesMs = 5_000;

/** From inbound to outbound: admits messages into durable turns, runs them in lanes, and sends what they settle to. */
export class Gateway implements AsyncDisposable {
  readonly #deps: GatewayDeps;
  readonly #watchers: Watchers;
  readonly #approvals: PendingApprovals;
  readonly #lanes: Lanes;
  readonly #deliveries: Deliveries;
  readonly #previews: TurnPreviews;
  readonly #notices: RestartNotices;
  readonly #agents: Pick<AgentCache, 'lease' | 'close' | 'evictAll'>;
  readonly #stopping = new AbortController();
  readonly #receiving: Promise<void>[] = [];

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#watchers = new Watchers((thrown) => this.#note('a watcher failed', thrown));
    this.#approvals = new PendingApprovals({
      sessions: deps.store.sessions,
      channelFor: (address) => this.#channelFor(address),
      clock: deps.clock,
    });
    const channelFor = (address: Address): Channel | undefined => this.#channelFor(address);
    this.#previews = new TurnPreviews({ channelFor, signal: this.#stopping.signal });
    this.#deliveries = new Deliveries({ ...deps, outbox: deps.store.outbox });
    this.#notices = new RestartNotices({
      ...deps,
      serves: (address) => this.#channelFor(address) !== undefined,
      deliver: (address) => this.deliver(address),
    });
    const agents = deps.openAgents(this.#approvals);
    this.#agents = agents;
    const show: DrainDeps['show'] = ({ address }, turn, event) => {
      this.#watchers.show(address, turn, event);
      this.#previews.show(address, event);
    };
    const refreshSettings: DrainDeps['refreshSettings'] = (session) => this.#refreshSettings(session.address);
    const tell: DrainDeps['tell'] = (session, text) => void this.#tell(session.address, text);
    const deliver: DrainDeps['deliver'] = async ({ address }) => {
      await this.deliver(address);
      this.#previews.end(address);
    };
    this.#lanes = new Lanes({
      wake: deps.wake,
      signals: deps.signals,
      drain: (sessionId, lane) =>
        drainSession(sessionId, lane, { ...deps, agents, show, refreshSettings, tell, deliver }),
      onError: (sessionId, thrown) => void this.#reportDrain(sessionId, thrown),
    });
  }

  /** Begins to listen to the channels. */
  start(): void {
    for (const channel of this.#deps.channels) this.#receiving.push(this.#receiveOrSayWhyNot(channel));
  }

  /** Goes on with everything that an earlier run left on the channels: turns without a result, and what was not sent. */
  async goOn(): Promise<void> {
    const { store } = this.#deps;
    await this.#notices.returnAll();
    const unsettled = await store.turns.unsettled();
    for (const sessionId of new Set(unsettled.map((turn) => turn.sessionId))) {
      const session = await store.sessions.get(sessionId);
      if (session && this.#channelFor(session.address)) this.resume(sessionId);
    }
    await this.#deliveries.goOn();
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
    await this.#within(limitMs, this.#lanes.hold());
    await this.#within(releaseMs, this.#lanes[Symbol.asyncDispose]());
    await this.#within(noticesMs, this.#notices.pauseAll());
  }

  /** Resolves when no channel brings anything any more. */
  async whenDeaf(): Promise<void> {
    await Promise.all(this.#receiving);
  }

  takeIn(inbound: Inbound): Promise<Intake> {
    const { store, wake, signals, clock, faults, models, catalogue } = this.#deps;
    const lanes = this.#lanes;
    const run = createCommandRunner({ store, lanes, signals, agents: this.#agents, models, catalogue, clock });
    const commands: CommandRunner = async (command, from) => {
      await this.#refreshSettings(from.address);
      return await run(command, from);
    };
    const access = (from: Inbound): Promise<Access> => this.#judge(from);
    const offerPairing: IntakeDeps['offerPairing'] = async (person) => {
      const { describeOffer, offerCode } = await import('./pairing.ts');
      const code = await offerCode(person, { store, clock });
      return code === undefined ? undefined : describeOffer(code);
    };
    const bindOwner: IntakeDeps['bindOwner'] = async (from) => {
      if (from.address.platform === 'terminal') return undefined;
      const { bindOwner: bind } = await import('./owner-link.ts');
      return await bind(from, { store, clock });
    };
    const approvals = this.#approvals;
    const deps = { store, lanes, approvals, commands, wake, clock, faults, access, offerPairing, bindOwner };
    return takeIn(inbound, deps);
  }

  watch(address: Address, watcher: Watcher): Disposable {
    return this.#watchers.watch(address, watcher);
  }

  /** Goes on with what is unsettled in a session. */
  resume(sessionId: SessionId): void {
    this.#deps.wake.wake(sessionId);
  }

  /** Resolves when a session has nothing left to do. */
  whenIdle(sessionId: SessionId): Promise<void> {
    return this.#lanes.whenIdle(sessionId);
  }

  /** Sends what waits for an address, on the channel that serves it. */
  deliver(address: Address): Promise<void> {
    return this.#deliveries.deliver(address);
  }

  /** Stops listening and leaves running turns unsettled, for the next start to go on with. */
  async [Symbol.asyncDispose](): Promise<void> {
    // First of all, since a lane may be waiting for a delivery that waits for room on the disk.
    this.#stopping.abort();
    const sent = this.#deliveries[Symbol.asyncDispose]();
    await this.#lanes[Symbol.asyncDispose]();
    await sent;
    await Promise.all(this.#receiving);
  }

  /** A channel that fails takes neither the others nor the process down. */
  async #receiveOrSayWhyNot(channel: Channel): Promise<void> {
    try {
      await this.#receive(channel);
    } catch (thrown) {
      this.#note(`${channel.name} is not served any more`, thrown);
      this.#deps.report(`${channel.name} is not served any more: ${describeError(thrown)}`);
    }
  }

  async #receive(channel: Channel): Promise<void> {
    for await (const inbound of channel.receive(this.#stopping.signal)) {
      const answer = await this.#takeInOrSayWhyNot(inbound);
      // Not waited for: a chat that is flooded must not keep others from being heard.
      if (answer !== undefined) void this.#tell(inbound.address, answer);
    }
  }

  /** The same for everything that arrives: messages, edits, buttons and commands. */
  async #judge(inbound: Inbound): Promise<Access> {
    if (inbound.address.platform === 'terminal') return decideAccess(inbound, 'stranger');
    const problems = await this.#deps.settings.refresh();
    const access = decideAccess(inbound, (await isLetIn(inbound.person, this.#deps)) ? 'let-in' : 'stranger');
    this.#passOn(problems, access.type === 'granted' ? inbound.address : undefined);
    return access;
  }

  /** What the sender is told at once; an admitted message is answered by its turn. */
  async #takeInOrSayWhyNot(inbound: Inbound): Promise<string | undefined> {
    try {
      const intake = await this.takeIn(inbound);
      if (intake.type === 'admitted' && this.isDraining) {
        await this.#notices.pause(intake.turn.sessionId, intake.turn.turnId);
      }
      return describeIntake(intake);
    } catch (thrown) {
      this.#note('an inbound message was not taken in', thrown);
      return `That was not taken in: ${withoutFullStop(describeError(thrown))}. Nothing was done; send it again.`;
    }
  }

  async #reportDrain(sessionId: SessionId, thrown: unknown): Promise<void> {
    this.#note(`session ${sessionId} stopped being served`, thrown);
    const session = await this.#deps.store.sessions.get(sessionId).catch(() => undefined);
    const text = `This turn was put off: ${withoutFullStop(describeError(thrown))}. It goes on with your next message, or at the next start.`;
    if (session) await this.#tell(session.address, text);
  }

  /** Whoever speaks next after an edit of the settings is told what is wrong with it. */
  async #refreshSettings(address: Address): Promise<void> {
    this.#passOn(await this.#deps.settings.refresh(), address);
  }

  #passOn(problems: readonly string[], address: Address | undefined): void {
    for (const problem of problems) {
      this.#deps.log.write('warn', problem);
      if (address === undefined) this.#deps.report(problem);
      else void this.#tell(address, problem);
    }
  }

  /** Shows a line that need not be kept. */
  async #tell(address: Address, text: string): Promise<void> {
    const id = newId('outbox', this.#deps.clock.now());
    const message: Outbound = { id, address, kind: 'notice', text, copy: 'first', digest: undefined };
    const { signal } = this.#stopping;
    try {
      for (let tries = 0; tries < mostTellings; tries += 1) {
        const receipt = await this.#channelFor(address)?.send(message, signal);
        if (receipt?.type !== 'retry' || signal.aborted) return;
        await this.#deps.clock.sleep(receipt.afterMs, signal);
      }
    } catch (thrown) {
      this.#note('a notice was not shown', thrown);
    }
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    const over = new AbortController();
    const late = this.#deps.clock.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([work, late]);
    over.abort();
  }

  #note(what: string, thrown: unknown): void {
    this.#deps.log.write('error', what, { reason: describeError(thrown) });
  }

  #channelFor(address: Address): Channel | undefined {
    return this.#deps.channels.find((channel) => channel.name === address.platform && channel.serves(address));
  }
}

/** What a sender is told at once about what was sent; undefined where that shows by itself. */
export function describeIntake(intake: Intake): string | undefined {
  switch (intake.type) {
    case 'commanded':
    case 'denied':
      return intake.reply;
    case 'refused':
      return `That was not taken in: ${intake.reason}.`;
    case 'steered':
      return 'Noted: it reaches the running turn with its next step.';
    case 'admitted':
    case 'answered':
    case 'ignored':
      return undefined;
  }
}
