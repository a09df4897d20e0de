import { systemClock } from '../../base/clock.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import { isConnected } from '../../model/channel-state.ts';
import type { GatewayView } from './gateway-view.ts';

/** What stands on the home: a gateway, one that does not answer, another process of the program, or nothing. */
export type Found =
  | { readonly type: 'running'; readonly status: GatewayStatus }
  | { readonly type: 'silent'; readonly pid: number }
  | { readonly type: 'other'; readonly pid: number; readonly since: string }
  | { readonly type: 'nothing' };

const pauseMs = 100;

export async function findGateway(desk: GatewayView): Promise<Found> {
  const asked = await ask(desk);
  const holder = desk.holder();
  if (typeof asked === 'object') return { type: 'running', status: asked };
  if (holder === undefined) return { type: 'nothing' };
  // Someone listens and does not answer: only a gateway has a socket.
  return asked === 'silent' ? { type: 'silent', pid: holder.pid } : { type: 'other', ...holder };
}

async function ask(desk: GatewayView): Promise<GatewayStatus | 'nobody' | 'silent'> {
  try {
    return (await desk.status()) ?? 'nobody';
  } catch {
    return 'silent'; // the one kind of failure that a socket of ours has
  }
}

/** Waits until a process holds the home no more; false where the time is over before. */
export async function whenLetGo(pid: number, desk: GatewayView, longestMs: number): Promise<boolean> {
  const end = systemClock.monotonic() + longestMs;
  while (desk.holder()?.pid === pid) {
    if (systemClock.monotonic() > end) return false;
    await systemClock.sleep(pauseMs);
  }
  return true;
}

/** Asks until each channel has got an answer from its platform, as long as that may take; undefined where nobody runs any more. */
export async function whenConnected(desk: GatewayView, longestMs: number): Promise<GatewayStatus | undefined> {
  const end = systemClock.monotonic() + longestMs;
  for (;;) {
    const asked = await ask(desk);
    if (typeof asked !== 'object') return undefined;
    if (isConnected(asked.channelStates) || systemClock.monotonic() > end) return asked;
    await systemClock.sleep(pauseMs);
  }
}

/** Waits until a gateway serves; undefined where the time is over before, or the signal aborts. */
export async function whenServing(
  desk: GatewayView,
  longestMs: number,
  signal: AbortSignal,
): Promise<GatewayStatus | undefined> {
  const end = systemClock.monotonic() + longestMs;
  while (!signal.aborted && systemClock.monotonic() < end) {
    const asked = await ask(desk);
    if (typeof asked === 'object') return asked;
    await systemClock.sleep(pauseMs);
  }
  return undefined;
}
