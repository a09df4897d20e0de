import { AppError, isAppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { SessionId, TurnId } from '../../base/ids.ts';
import type { Intake } from '../../gateway/intake.ts';
import { textPart } from '../../model/message.ts';
import type { Inbound } from '../../model/channel.ts';
import type { GivenImage } from '../../model/image.ts';
import type { TurnRef, TurnResult } from '../../model/turn.ts';
import type { Seat, ServedTerminal } from '../app-port.ts';
import { oneLine } from '../render/one-line.ts';

const longestQuote = 200;

/** What came of something that was said. */
export type Said =
  | { readonly type: 'settled'; readonly turn: TurnRef; readonly result: TurnResult }
  | { readonly type: 'answered'; readonly text: string }
  /** The session could not be served; the turn waits in the log. */
  | { readonly type: 'put-off'; readonly turn: TurnRef }
  /** It cannot be taken in as it is. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'ignored' }
  /** A signal ended the program before the turn did. */
  | { readonly type: 'left'; readonly exitCode: number };

/** Says one thing after the other at one address, each when the one before is done with. */
export class Talk implements Disposable {
  readonly #gateway: ServedTerminal['gateway'];
  readonly #isReachable: ServedTerminal['isReachable'];
  readonly #seat: Omit<Seat, 'port'>;
  readonly #results = new Map<TurnId, TurnResult>();
  readonly #watching: Disposable;
  readonly #onSteered: (turn: TurnRef) => void;
  #pending = 0;

  /** `onSteered` is told when what was said joins a turn that runs: its answer is the answer to this. */
  constructor(
    { gateway, isReachable }: Pick<ServedTerminal, 'gateway' | 'isReachable'>,
    seat: Omit<Seat, 'port'>,
    onSteered: (turn: TurnRef) => void = () => undefined,
  ) {
    this.#gateway = gateway;
    this.#isReachable = isReachable;
    this.#seat = seat;
    this.#onSteered = onSteered;
    this.#watching = gateway.watch(seat.address, (turn, event) => {
      if (event.type !== 'entry' || event.logged.entry.type !== 'turn.settled') return;
      this.#results.set(turn.turnId, event.logged.entry.result);
    });
  }

  /** Whether something that was said is still being dealt with. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  async say(text: string, images: readonly GivenImage[] = []): Promise<Said> {
    this.#pending += 1;
    try {
      return await this.#sayAndWait(text, images);
    } finally {
      this.#pending -= 1;
    }
  }

  /** Goes on with what is unsettled in the session, to its end. */
  async goOn(sessionId: SessionId): Promise<void> {
    this.#pending += 1;
    this.#gateway.resume(sessionId);
    await this.#gateway.whenIdle(sessionId);
    this.#pending -= 1;
  }

  async stop(): Promise<void> {
    await this.#gateway.takeIn(toInbound('/stop', [], this.#seat));
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]();
  }

  async #sayAndWait(text: string, images: readonly GivenImage[]): Promise<Said> {
    const intake = await this.#takeIn(text, images);
    if (intake.type === 'steered') this.#onSteered(intake.turn);
    switch (intake.type) {
      case 'commanded':
        return { type: 'answered', text: intake.reply };
      case 'admitted':
      case 'steered':
        await this.#gateway.whenIdle(intake.turn.sessionId);
        return this.#outcomeOf(intake.turn);
      case 'refused':
        return intake;
      case 'answered':
      case 'denied':
      case 'ignored':
        return { type: 'ignored' };
    }
  }

  /** What the gateway did not take in is known to nobody but whoever said it: they are told which it is. */
  async #takeIn(text: string, images: readonly GivenImage[]): Promise<Intake> {
    const isHandedOver = this.#isReachable();
    try {
      return await this.#gateway.takeIn(toInbound(text, images, this.#seat));
    } catch (thrown) {
      if (!isAppError(thrown, 'gateway-gone')) throw thrown;
      const fate = isHandedOver ? 'it did not say whether it took this in' : 'this was not sent';
      throw new AppError('gateway-gone', `${thrown.message}; ${fate}: ${oneLine(text, longestQuote)}`, {
        cause: thrown,
      });
    }
  }

  #outcomeOf(turn: TurnRef): Said {
    const result = this.#results.get(turn.turnId);
    return result === undefined ? { type: 'put-off', turn } : { type: 'settled', turn, result };
  }
}

function toInbound(
  text: string,
  images: readonly GivenImage[],
  { address, person, workdir }: Omit<Seat, 'port'>,
): Inbound {
  const { platform, account, chat } = address;
  const key = { platform, account, chat, messageId: newId('turn', Date.now()), revision: 0 };
  return { type: 'message', key, address, person, parts: text === '' ? [] : [textPart(text)], images, workdir };
}
