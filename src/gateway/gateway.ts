import type { AgentCache } from '../agents/agent-cache.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { NodeId, SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Approvals } from '../model/approvals.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Channel, Inbound, Outbound } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import type { Address } from '../model/session.ts';
import type { Signals, Store, Wake } from '../model/store.ts';
import { PendingApprovals } from './approvals.ts';
import { createCommandRunner } from './commands.ts';
import type { CommandDeps } from './commands.ts';
import { deliverDue } from './delivery.ts';
import { drainSession } from './drain.ts';
import type { DrainDeps } from './drain.ts';
import { takeIn } from './intake.ts';
import type { Intake } from './intake.ts';
import { Lanes } from './lanes.ts';
import { Watchers } from './watchers.ts';
import type { Watcher } from './watchers.ts';

export interface GatewayDeps {
  readonly store: Store;
  readonly wake: Wake;
  readonly signals: Signals;
  readonly channels: readonly Channel[];
  readonly owner: NodeId;
  readonly models: CommandDeps['models'];
  readonly catalogue: Catalogue;
  /** Agents ask for consent through this gateway, so they are opened with its approvals. */
  readonly openAgents: (approvals: Approvals) => Pick<AgentCache, 'lease' | 'close' | 'evictAll'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly faults: Faults | undefined;
}

/** From inbound to outbound: admits messages into durable turns, runs them in lanes, and sends what they settle to. */
export class Gateway implements AsyncDisposable {
  readonly #deps: GatewayDeps;
  readonly #watchers: Watchers;
  readonly #approvals: PendingApprovals;
  readonly #lanes: Lanes;
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
    const agents = deps.openAgents(this.#approvals);
    this.#agents = agents;
    const show: DrainDeps['show'] = (session, turn, event) => this.#watchers.show(session.address, turn, event);
    const deliver: DrainDeps['deliver'] = (session) => this.deliver(session.address);
    this.#lanes = new Lanes({
      wake: deps.wake,
      signals: deps.signals,
      drain: (sessionId, lane) => drainSession(sessionId, lane, { ...deps, agents, show, deliver }),
      onError: (sessionId, thrown) => void this.#reportDrain(sessionId, thrown),
    });
  }

  /** Begins to listen to the channels. */
  start(): void {
    for (const channel of this.#deps.channels) this.#receiving.push(this.#receive(channel));
  }

  takeIn(inbound: Inbound): Promise<Intake> {
    const { store, wake, signals, clock, faults, models, catalogue } = this.#deps;
    const lanes = this.#lanes;
    const commands = createCommandRunner({ store, lanes, signals, agents: this.#agents, models, catalogue, clock });
    return takeIn(inbound, { store, lanes, approvals: this.#approvals, commands, wake, clock, faults });
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
  async deliver(address: Address): Promise<void> {
    const { store, clock, faults } = this.#deps;
    const channel = this.#channelFor(address);
    if (channel === undefined) return;
    try {
      await deliverDue(channel, { outbox: store.outbox, clock, faults }, this.#stopping.signal);
    } catch (thrown) {
      // The rows stay in the outbox; the turn that they come from is settled and none the worse.
      this.#note('a reply could not be delivered', thrown);
    }
  }

  /** Stops listening and leaves running turns unsettled, for the next start to go on with. */
  async [Symbol.asyncDispose](): Promise<void> {
    // First of all, since a lane may be waiting for a delivery that waits for room on the disk.
    this.#stopping.abort();
    await this.#lanes[Symbol.asyncDispose]();
    await Promise.all(this.#receiving);
  }

  async #receive(channel: Channel): Promise<void> {
    for await (const inbound of channel.receive(this.#stopping.signal)) {
      const answer = await this.#takeInOrSayWhyNot(inbound);
      if (answer !== undefined) await this.#tell(inbound.address, answer);
    }
  }

  /** What the sender is told at once; an admitted message is answered by its turn. */
  async #takeInOrSayWhyNot(inbound: Inbound): Promise<string | undefined> {
    try {
      return describeIntake(await this.takeIn(inbound));
    } catch (thrown) {
      this.#note('an inbound message was not taken in', thrown);
      return `That was not taken in: ${describeError(thrown)}. Nothing was done; send it again.`;
    }
  }

  async #reportDrain(sessionId: SessionId, thrown: unknown): Promise<void> {
    this.#note(`session ${sessionId} stopped being served`, thrown);
    const session = await this.#deps.store.sessions.get(sessionId).catch(() => undefined);
    const text = `This turn was put off: ${describeError(thrown)}. It goes on with your next message, or at the next start.`;
    if (session) await this.#tell(session.address, text);
  }

  /** Shows a line that need not be kept. */
  async #tell(address: Address, text: string): Promise<void> {
    const id = newId('outbox', this.#deps.clock.now());
    const message: Outbound = { id, address, kind: 'notice', text, copy: 'first', digest: undefined };
    try {
      await this.#channelFor(address)?.send(message, this.#stopping.signal);
    } catch (thrown) {
      this.#note('a notice was not shown', thrown);
    }
  }

  #note(what: string, thrown: unknown): void {
    this.#deps.log.write('error', what, { reason: describeError(thrown) });
  }

  #channelFor(address: Address): Channel | undefined {
    return this.#deps.channels.find((channel) => channel.name === address.platform && channel.serves(address));
  }
}

function describeIntake(intake: Intake): string | undefined {
  switch (intake.type) {
    case 'commanded':
      return intake.reply;
    case 'steered':
      return 'Noted: it reaches the running turn with its next step.';
    case 'admitted':
    case 'answered':
    case 'ignored':
      return undefined;
  }
}
