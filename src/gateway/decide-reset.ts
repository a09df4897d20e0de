import type { ResetSettings } from '../model/config.ts';
import type { Session } from '../model/session.ts';

/** Why a session is over: nothing was said for long, or another day began. */
export type ResetReason = 'idle' | 'daily';

/** Whether the policy ends a session, and why. A terminal begins and continues sessions by hand. Pure. */
export function decideReset(
  { address, activeAt }: Pick<Session, 'address' | 'activeAt'>,
  { mode, idleMs, atHour }: ResetSettings,
  nowMs: number,
): ResetReason | undefined {
  if (mode === 'off' || address.platform === 'terminal') return undefined;
  if (mode !== 'daily' && nowMs - activeAt > idleMs) return 'idle';
  return mode !== 'idle' && activeAt < lastTimeAt(atHour, nowMs) ? 'daily' : undefined;
}

/** The last time that it was so late in the local day, by the calendar: days on which clocks change are longer or shorter. */
function lastTimeAt(hour: number, nowMs: number): number {
  const time = new Date(nowMs);
  time.setHours(hour, 0, 0, 0);
  if (time.getTime() > nowMs) time.setDate(time.getDate() - 1);
  return time.getTime();
}
