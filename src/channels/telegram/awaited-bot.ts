import type { Clock } from '../../base/clock.ts';
import { describeError, isAppError } from '../../base/errors.ts';
import { withoutFullStop } from '../../base/full-stop.ts';
import type { PersonId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { sleepUnless } from '../../base/sleep-unless.ts';
import type { Channel, ChannelTraits, Inbound, Outbound, Preview, Receipt } from '../../model/channel.ts';
import type { TellState } from '../../model/channel-state.ts';
import type { Address } from '../../model/session.ts';
import { newTokenAdvice, tokenLookMs } from './follow-token.ts';
import { telegramTraits } from './telegram-traits.ts';

export interface AwaitedBotDeps {
  /** The bot of the token that was there at the start, if one was. */
  readonly first: { readonly token: string; readonly bot: Channel } | undefined;
  /** Throws `bad-config` for what cannot be a token. */
  readonly open: (token: string) => Promise<Channel>;
  /** The token as it is kept now. */
  readonly findToken: () => string | undefined;
  /** Tells whoever runs the program. */
  readonly report: (line: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A bot that need not be there yet, for a gateway that serves something else besides: it is taken up when a token for it is
 * kept, and so is one in the place of a token that was refused from the start.
 */
export class AwaitedBot implements Channel {
  readonly name = 'telegram';
  readonly traits: ChannelTraits = telegramTraits;
  readonly #deps: AwaitedBotDeps;
  #opened: AwaitedBotDeps['first'];

  constructor(deps: AwaitedBotDeps) {
    this.#deps = deps;
    this.#opened = deps.first;
  }

  serves(address: Address): boolean {
    return this.#opened?.bot.serves(address) ?? false;
  }

  chatWith(person: PersonId): Address | undefined {
    return this.#opened?.bot.chatWith?.(person);
  }

  receive(signal: AbortSignal, tell: TellState = () => undefined): AsyncIterable<Inbound> {
    tell({ type: this.#opened === undefined ? 'absent' : 'connecting' });
    return this.#receive(signal, tell);
  }

  async send(message: Outbound, signal: AbortSignal): Promise<Receipt> {
    return (await this.#opened?.bot.send(message, signal)) ?? { type: 'refused', reason: 'there is no bot' };
  }

  async preview(preview: Preview, signal: AbortSignal): Promise<void> {
    await this.#opened?.bot.preview(preview, signal);
  }

  async conclude(question: Outbound, platformId: string, ending: string): Promise<void> {
    await this.#opened?.bot.conclude(question, platformId, ending);
  }

  async endPress(press: string, words: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#opened?.bot.endPress?.(press, words, signal);
  }

  async *#receive(signal: AbortSignal, tell: TellState): AsyncGenerator<Inbound, void> {
    const { first, report, log } = this.#deps;
    let token = first?.token ?? (await this.#whenAnother(undefined, signal));
    while (token !== undefined) {
      const problem = yield* this.#serve(token, signal, tell);
      if (problem === undefined) return;
      log.write('warn', 'Telegram waits for another token', { reason: problem });
      report(`telegram: ${problem}. ${newTokenAdvice}`);
      tell({ type: 'not-served', reason: `${problem}. ${newTokenAdvice}` });
      token = await this.#whenAnother(token, signal);
    }
  }

  /** Returns why the token cannot be used; undefined where it was, until the signal came. */
  async *#serve(token: string, signal: AbortSignal, tell: TellState): AsyncGenerator<Inbound, string | undefined> {
    const { open, report } = this.#deps;
    try {
      if (token !== this.#opened?.token) {
        this.#opened = { token, bot: await open(token) };
        report('telegram: a token is there now, and is used from now on');
      }
      yield* this.#opened.bot.receive(signal, tell);
      return undefined;
    } catch (thrown) {
      if (!isAppError(thrown, 'bad-config')) throw thrown;
      return withoutFullStop(describeError(thrown));
    }
  }

  /** Undefined once the signal aborts. */
  async #whenAnother(tried: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const { clock, findToken } = this.#deps;
    while (!signal.aborted) {
      const token = findToken();
      if (token !== undefined && token !== tried) return token;
      await sleepUnless(clock, tokenLookMs, signal);
    }
    return undefined;
  }
}
