import type { Clock } from '../../base/clock.ts';
import { describeError, isAppError } from '../../base/errors.ts';
import { withoutFullStop } from '../../base/full-stop.ts';
import type { Log } from '../../base/log.ts';
import { sleepUnless } from '../../base/sleep-unless.ts';
import type { TellState } from '../../model/channel-state.ts';
import type { BotApi } from './bot-api.ts';

export interface TokenDeps {
  readonly bot: BotApi;
  /** The token as it is kept now, looked up every few seconds; left out: it stays what it was at the start. */
  readonly findToken?: () => string | undefined;
  /** Tells whoever runs the program. */
  readonly report?: (line: string) => void;
  /** Is told how it stands with Telegram. */
  readonly tell?: TellState;
  readonly clock: Clock;
  readonly log: Log;
}

export const tokenLookMs = 5_000;
export const newTokenAdvice = 'A new one is taken up at once: talaria gateway setup';

/**
 * What is received with the token that the bot has at the time. A new one of the same bot takes the place of the old one at
 * once, and where Telegram refuses the old one, the new one is waited for. Another bot is served from the next start on.
 */
export async function* followToken<Item>(
  receive: (signal: AbortSignal) => AsyncIterable<Item>,
  deps: TokenDeps,
  signal: AbortSignal,
): AsyncGenerator<Item, void> {
  for (let isRotated = true; isRotated;) {
    const over = new AbortController();
    const rotated = new AbortController();
    const watching = watchToken(deps, AbortSignal.any([signal, over.signal])).then((isNew) => {
      if (isNew) rotated.abort();
      return isNew;
    });
    try {
      yield* receive(AbortSignal.any([signal, rotated.signal]));
    } catch (thrown) {
      if (deps.findToken === undefined || !isAppError(thrown, 'bad-config')) throw thrown;
      const problem = withoutFullStop(describeError(thrown));
      deps.log.write('warn', 'Telegram waits for another token', { reason: problem });
      deps.report?.(`telegram: ${problem}. ${newTokenAdvice}`);
      deps.tell?.({ type: 'not-served', reason: `${problem}. ${newTokenAdvice}` });
      if (await watching) deps.tell?.({ type: 'connecting' });
    } finally {
      over.abort();
    }
    isRotated = await watching;
  }
}

/** Resolves once another token of the bot is in use; with false where the signal came first. */
async function watchToken(deps: TokenDeps, signal: AbortSignal): Promise<boolean> {
  const { bot, findToken, report, clock, log } = deps;
  if (findToken === undefined) return false;
  for (let told: string | undefined; ;) {
    const rest = await sleepUnless(clock, tokenLookMs, signal);
    if (rest === 'stopped') return false;
    const token = findToken();
    const change = token === undefined ? 'same' : bot.changeToken(token);
    if (change === 'changed') {
      log.write('info', 'the bot has a new token, which is used from now on');
      return true;
    }
    if (change === 'other-bot' && token !== told) report?.(otherBot);
    told = token;
  }
}

const otherBot =
  'telegram: the token that is kept now is not of the bot that is served; it counts from the next start on: talaria gateway restart';
