import type { BusyMode } from '../model/busy-mode.ts';
import type { Config } from '../model/config.ts';
import type { Session } from '../model/session.ts';
import type { NewSession, Signal } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import type { CommandDeps, CommandOutcome, InboundMessage } from './command-deps.ts';
import { describeUnread } from './unread-additions.ts';

/** What a message does in a session while a turn runs: as chosen there, for its platform, or for all. Pure. */
export function busyModeOf({ settings, address }: Session, { display }: Pick<Config, 'display'>): BusyMode {
  return settings.busyMode ?? display.busyModes[address.platform] ?? display.busyMode;
}

/** Needs nothing but the lane: it works on a full disk, and whatever the turn waits for. */
export async function runStop(_rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome> {
  const session = await deps.store.sessions.at(inbound);
  if (!deps.lanes.isBusy(session.id)) return nothingRuns;
  const running = deps.lanes.running(session.id);
  if (running) deps.signals.send(session.id, stopFor(running, inbound));
  const unsettled = await deps.store.turns.unsettled(session.id);
  const turn = running ?? unsettled[0];
  // A lane that only sends a reply has nothing to stop, and what is said after this is not what was meant.
  if (turn === undefined) return nothingRuns;
  if (running === undefined) deps.signals.send(session.id, stopFor(turn, inbound));
  const unread = running === undefined ? [] : await describeUnread(running, deps.store);
  // It may have ended by now.
  const left = unsettled.filter(({ turnId }) => turnId !== turn.turnId).length;
  const besides = [...unread, ...describeNext(left)];
  return { type: 'stopping', turn, reply: ['Stopping.', ...besides].join(' '), besides: besides.join(' ') };
}

function describeNext(left: number): readonly string[] {
  if (left < 1) return [];
  return [`${left === 1 ? 'One more waits and comes' : `${left} more wait and come`} next; /stop ends each of them.`];
}

const nothingRuns = 'Nothing is running.';

function stopFor({ turnId }: TurnRef, { person }: InboundMessage): Signal {
  return { type: 'stop', by: person, turnId };
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
