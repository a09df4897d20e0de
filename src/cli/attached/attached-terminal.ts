import type { Clock } from '../../base/clock.ts';
import { isAppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { SessionId, TurnId } from '../../base/ids.ts';
import { partsToText } from '../../model/message.ts';
import type { CallName, CallParams, CallResults, TakenSeat } from '../../gateway/attach/calls.ts';
import { isStop, takesLong } from '../../gateway/commands.ts';
import { describeFailedIntake, describeIntake } from '../../gateway/describe-intake.ts';
import type { Intake } from '../../gateway/intake.ts';
import type { Watcher } from '../../gateway/watchers.ts';
import type { Channel, Inbound, Outbound } from '../../model/channel.ts';
import type { LoggedEntry, StepEvent, TurnRef } from '../../model/turn.ts';
import type { Seat, ServedTerminal } from '../app-port.ts';
import type { GatewayLine, PushedFrame } from './gateway-line.ts';
import type { GatewayLink, LinkUser } from './gateway-link.ts';

export interface AttachedTerminalDeps {
  readonly link: GatewayLink;
  /** The terminal of this process: what is typed comes out of it, what is sent is shown there. */
  readonly channel: Channel;
  readonly seat: Seat;
  /** Up to where the log of a session was read before. */
  readonly read: ReadonlyMap<SessionId, number>;
  readonly clock: Clock;
}

type Dealt = 'dealt-with' | 'nobody-there';

type Call = <Name extends CallName>(name: Name, params: CallParams<Name>) => Promise<CallResults[Name]>;

/**
 * A terminal whose chat is served by the gateway. Entries of the log are seen once each and in order, whatever happens to the
 * line: what came while it was broken is read up in the log.
 */
export class AttachedTerminal implements LinkUser, AsyncDisposable {
  readonly #deps: AttachedTerminalDeps;
  readonly #watchers = new Set<Watcher>();
  readonly #closing = new AbortController();
  /** The last entry of each session that was seen here; 0 where none was. */
  readonly #seen: Map<SessionId, number>;
  readonly #ownTurns = new Set<TurnId>();
  readonly #shown = new Set<string>();
  /** Questions that stand on the screen. */
  readonly #asked = new Map<string, Outbound>();
  /** What waits until that before it was read up. */
  #held: PushedFrame[] | undefined;
  /** Sessions whose log was read up, until the next answer begins: pieces of the last one may be older than what was read. */
  readonly #readUpTo = new Set<SessionId>();
  #listening: Promise<void> | undefined;

  constructor(deps: AttachedTerminalDeps) {
    this.#deps = deps;
    this.#seen = new Map(deps.read);
  }

  /** Sits down, and begins to pass on what is typed. */
  async begin(wishes: Pick<CallParams<'seat.take'>, 'model' | 'sessionModel'>): Promise<ServedTerminal> {
    const { link } = this.#deps;
    const { model, warnings } = await this.#takeSeat((name, params) => link.call(name, params), wishes);
    link.serve(this);
    this.#listening = this.#listen();
    return { gateway: this.#gateway(), model, warnings, lost: link.lost, isReachable: () => link.isReachable };
  }

  async pushed(frame: PushedFrame): Promise<void> {
    // A reply that is shown before the answer in the log would be seen twice.
    if (this.#held === undefined) await this.#present(frame);
    else this.#held.push(frame);
  }

  async #present(frame: PushedFrame): Promise<void> {
    const { channel } = this.#deps;
    switch (frame.type) {
      case 'event':
        this.#take(frame.turn, frame.event);
        return;
      case 'show':
        // What the gateway could not note as sent before it died is sent again.
        if (this.#shown.has(frame.message.id)) return;
        this.#shown.add(frame.message.id);
        if (frame.message.kind === 'question') this.#asked.set(frame.message.id, frame.message);
        await channel.send(frame.message, this.#closing.signal);
        return;
      case 'concluded':
        await this.#conclude(frame.question, frame.ending);
    }
  }

  async cutOff(): Promise<void> {
    await this.#tell('The gateway does not answer any more. Looking for it again…');
    // Whoever asked is gone. The turn asks again when it goes on.
    for (const question of this.#asked.values()) await this.#conclude(question, 'No longer asked.');
  }

  async returned(line: GatewayLine): Promise<void> {
    const call: Call = (name, params) => line.call(name, params);
    await this.#takeSeat(call, { model: undefined, sessionModel: undefined });
    await this.#readUp(call);
    await this.#tell('The gateway is back.');
    for (const sessionId of this.#seen.keys()) await call('session.goOn', { sessionId });
    await call('seat.deliver', {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    // What is on its way waits for the gateway, which may be gone.
    this.#deps.link.close();
    await this.#listening;
  }

  async #conclude(question: Outbound, ending: string): Promise<void> {
    this.#asked.delete(question.id);
    // Asked again, it is shown again.
    this.#shown.delete(question.id);
    await this.#deps.channel.conclude(question, question.id, ending);
  }

  async #takeSeat(call: Call, wishes: Pick<CallParams<'seat.take'>, 'model' | 'sessionModel'>): Promise<TakenSeat> {
    const { port, address, workdir } = this.#deps.seat;
    return await call('seat.take', { chat: address.chat, workdir, asks: port.asks, ...wishes });
  }

  #gateway(): ServedTerminal['gateway'] {
    const { link } = this.#deps;
    return {
      takeIn: (inbound) => this.#takeIn(inbound),
      watch: (_address, watcher) => {
        this.#watchers.add(watcher);
        return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
      },
      // Whoever wants to know how it went waits until the session is idle.
      resume: (sessionId) => void link.call('session.goOn', { sessionId }).catch(() => undefined),
      whenIdle: (sessionId) => link.call('session.whenIdle', { sessionId }),
      deliver: async () => {
        await this.#readUp((name, params) => link.call(name, params));
        await link.call('seat.deliver', {});
      },
    };
  }

  /**
   * Each input is dealt with before the next one is. A stop, and the answer to a question, do not wait for a command that asks
   * others, who may take their time. Where nobody takes it in any more, no more is asked for: who typed it still has it, and
   * can tell that it was not said.
   */
  async #listen(): Promise<void> {
    let long: Promise<Dealt> = Promise.resolve('dealt-with');
    for await (const inbound of this.#deps.channel.receive(this.#closing.signal)) {
      if (inbound.type === 'message' && !isStop(inbound)) await long;
      const dealing = this.#dealWith(inbound);
      if (takesLong(inbound)) long = dealing;
      else if ((await dealing) === 'nobody-there') break;
    }
    await long;
  }

  async #dealWith(inbound: Inbound): Promise<Dealt> {
    const intake = await this.#takeInOrSayWhyNot(inbound);
    if (intake === 'nobody-there') return intake;
    const answer = describeIntake(intake);
    if (answer !== undefined) await this.#tell(answer);
    return 'dealt-with';
  }

  async #takeInOrSayWhyNot(inbound: Inbound): Promise<Intake | 'nobody-there'> {
    try {
      return await this.#takeIn(inbound);
    } catch (thrown) {
      if (isAppError(thrown, 'gateway-gone')) return 'nobody-there';
      return { type: 'refused', reason: describeFailedIntake(thrown) };
    }
  }

  async #takeIn(inbound: Inbound): Promise<Intake> {
    const { link } = this.#deps;
    if (inbound.type === 'answer') {
      const { digest, verdict, scope, rule } = inbound;
      return await link.call('seat.answer', { digest, verdict, scope, rule });
    }
    // A terminal has no buttons.
    if (inbound.type === 'choice') return { type: 'ignored', reason: 'nothing-asked' };
    const { key, parts, images = [], commands } = inbound;
    const message = {
      messageId: key.messageId,
      text: partsToText(parts),
      images: images.map(({ bytes, name }) => ({ base64: Buffer.from(bytes).toString('base64'), name })),
      commands,
    };
    const intake = await link.call('seat.say', { ...message, delivery: 'first' }, { ...message, delivery: 'repeat' });
    if ('turn' in intake) this.#remember(intake.turn);
    return intake;
  }

  #remember({ sessionId, turnId }: TurnRef): void {
    this.#ownTurns.add(turnId);
    if (!this.#seen.has(sessionId)) this.#seen.set(sessionId, 0);
  }

  #take(turn: TurnRef, event: StepEvent): void {
    if (!this.#isSeen(turn, event)) this.#pass(turn, event);
  }

  /** Whether what it brings is on the screen, or comes there with an entry that is whole. */
  #isSeen({ sessionId }: TurnRef, event: StepEvent): boolean {
    if (event.type === 'entry') return event.logged.seq <= (this.#seen.get(sessionId) ?? 0);
    const isPiece = event.type === 'text.delta' || event.type === 'reasoning.delta';
    return isPiece && this.#readUpTo.has(sessionId);
  }

  #pass(turn: TurnRef, event: StepEvent): void {
    if (event.type === 'entry') {
      this.#seen.set(turn.sessionId, event.logged.seq);
      if (event.logged.entry.type === 'step.asked') this.#readUpTo.delete(turn.sessionId);
    }
    for (const watcher of this.#watchers) watcher(turn, event);
  }

  /** Passes on what is in the log and was not seen here; what comes meanwhile comes behind it. */
  async #readUp(call: Call): Promise<void> {
    const held = (this.#held ??= []);
    try {
      for (const [sessionId, seq] of this.#seen) {
        const entries = await call('turns.after', { sessionId, seq });
        for (const logged of entries.filter((each) => this.#isNews(each, seq)))
          this.#pass({ sessionId, turnId: logged.turnId }, { type: 'entry', logged });
        this.#readUpTo.add(sessionId);
      }
    } finally {
      // What comes while these are shown comes behind them.
      for (let next = held.shift(); next !== undefined; next = held.shift()) await this.#present(next);
      if (this.#held === held) this.#held = undefined;
    }
  }

  /** What people said is on their screens. Of a session that was not read before, only turns from here count. */
  #isNews({ turnId, entry }: LoggedEntry, seen: number): boolean {
    if (entry.type === 'turn.admitted' || entry.type === 'turn.steered') return false;
    return seen > 0 || this.#ownTurns.has(turnId);
  }

  async #tell(text: string): Promise<void> {
    const { channel, seat, clock } = this.#deps;
    const id = newId('outbox', clock.now());
    const notice = { id, address: seat.address, kind: 'notice', text, copy: 'first', digest: undefined } as const;
    await channel.send(notice, this.#closing.signal);
  }
}
