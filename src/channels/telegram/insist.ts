import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TellState } from '../../model/channel-state.ts';
import type { CallResult } from './bot-api.ts';

export interface Insistence {
  readonly clock: Clock;
  readonly log: Log;
  /** Is told how it stands with Telegram. */
  readonly tell?: TellState;
}

const firstPauseMs = 1000;
const longestPauseMs = 60_000;
// Another poller goes away with its process; asking more often would only throw it out, and it us.
const conflictPauseMs = 20_000;

/**
 * Makes a call again and again until it is done; undefined once the signal aborts. Only a token that Telegram refuses
 * ends it: no waiting mends that.
 */
export async function insist<Value>(
  call: (failures: number) => Promise<CallResult<Value>>,
  { clock, log, tell }: Insistence,
  signal: AbortSignal,
): Promise<Value | undefined> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    const result = await call(failures);
    if (result.type === 'done') {
      tell?.({ type: 'served' });
      if (failures > 0) log.write('info', 'Telegram answers again');
      return result.value;
    }
    // What an abort brought about is no failure.
    if (signal.aborted) return undefined;
    if (isTokenRefused(result)) throw new AppError('bad-config', refusedToken);
    if (failures === 0) log.write('warn', 'Telegram cannot be asked for messages', { reason: result.reason });
    tell?.({ type: 'retrying', reason: describeTrouble(result) });
    await pause(pauseAfter(result, failures), clock, signal);
  }
  return undefined;
}

export const refusedToken = 'Telegram does not accept the bot token; ask @BotFather for the current one';

/** Telegram answers an unknown token with 401, and one that it cannot even read with 404. */
export function isTokenRefused(result: CallResult<unknown>): boolean {
  return result.type === 'refused' && (result.code === 401 || result.code === 404);
}

/** Someone else asks for the messages of the same bot, or has them brought. */
export function isConflict(result: CallResult<unknown>): boolean {
  return result.type === 'refused' && result.code === 409;
}

function pauseAfter(result: CallResult<unknown>, failures: number): number {
  if (result.type === 'flooded') return result.afterMs;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10));
  return isConflict(result) ? Math.max(conflictPauseMs, pauseMs) : pauseMs;
}

function describeTrouble(result: Exclude<CallResult<unknown>, { readonly type: 'done' }>): string {
  return isConflict(result) ? `another program uses the same token (${result.reason})` : result.reason;
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}
