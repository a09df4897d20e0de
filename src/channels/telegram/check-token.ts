import type { Agent } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import { BotApi } from './bot-api.ts';
import { isTokenRefused, refusedToken } from './insist.ts';

/** Whose a token is, or why it cannot be used. */
export type TokenCheck =
  | { readonly type: 'valid'; readonly id: string; readonly username: string; readonly name: string }
  | { readonly type: 'invalid'; readonly problem: string }
  | { readonly type: 'unreachable'; readonly problem: string };

export interface TokenCheckOptions {
  readonly token: string;
  readonly apiRoot?: string;
  readonly openAgent?: () => Promise<Agent>;
  readonly clock: Clock;
}

/** Asks Telegram whose a token is. For whoever pastes one: nothing is changed by it. */
export async function checkTelegramToken(options: TokenCheckOptions, signal: AbortSignal): Promise<TokenCheck> {
  const bot = openBot(options);
  if (typeof bot === 'string') return { type: 'invalid', problem: bot };
  const me = await bot.call((api, stop) => api.getMe(stop), signal);
  if (me.type === 'done') {
    return { type: 'valid', id: bot.botId, username: me.value.username, name: me.value.first_name };
  }
  return isTokenRefused(me)
    ? { type: 'invalid', problem: refusedToken }
    : { type: 'unreachable', problem: `the token could not be checked: ${me.reason}` };
}

function openBot({ token, apiRoot, openAgent, clock }: TokenCheckOptions): BotApi | string {
  try {
    return new BotApi({ token: token.trim(), apiRoot, openAgent, clock });
  } catch (thrown) {
    return describeError(thrown);
  }
}
