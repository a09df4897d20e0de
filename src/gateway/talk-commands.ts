import type { BusyMode } from '../model/busy-mode.ts';
import type { Config } from '../model/config.ts';
import type { Session } from '../model/session.ts';
import type { NewSession } from '../model/store.ts';
import type { CommandDeps, InboundMessage } from './command-deps.ts';

/** What a message does in a session while a turn runs: as chosen there, for its platform, or for all. Pure. */
export function busyModeOf({ settings, address }: Session, { display }: Pick<Config, 'display'>): BusyMode {
  return settings.busyMode ?? display.busyModes[address.platform] ?? display.busyMode;
}

/** Needs nothing but the lane: it works on a full disk, and whatever the turn waits for. */
export async function runStop(_rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(inbound);
  if (!deps.lanes.isBusy(session.id)) return 'Nothing is running.';
  deps.signals.send(session.id, { type: 'stop', by: inbound.person });
  const unsettled = await deps.store.turns.unsettled(session.id);
  const left = unsettled.length - 1;
  if (left < 1) return 'Stopping.';
  return `Stopping. ${left === 1 ? 'One more waits and comes' : `${left} more wait and come`} next; /stop ends each of them.`;
}

const effects: Readonly<Record<BusyMode, string>> = {
  steer: 'is added to that turn',
  queue: 'waits until that turn is over',
  interrupt: 'stops that turn and comes next',
};

export async function setBusyMode(busyMode: BusyMode, where: NewSession, { store }: CommandDeps): Promise<string> {
  const session = await store.sessions.at(where);
  await store.sessions.configure(session.id, { ...session.settings, busyMode });
  return `From now on, in this session, what you say while a turn runs ${effects[busyMode]}. /${busyMode} TEXT does it once.`;
}
