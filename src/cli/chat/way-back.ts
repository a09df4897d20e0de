import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { within } from '../../base/within.ts';
import { addressKey } from '../../model/session.ts';
import type { Address } from '../../model/session.ts';
import type { CommandStore } from '../app-port.ts';
import { findLatest } from '../choose-place.ts';
import { wayById } from '../way-by-id.ts';

// A gateway that goes while it is asked is looked for much longer than someone who leaves wants to wait.
const longestMs = 10_000;

/**
 * The command that leads back to this very session at this moment; undefined where nothing was ever said in it, and where it
 * was taken from here to another chat, which would lose it again.
 */
export async function findWayBack(id: SessionId, from: Address, store: CommandStore): Promise<string | undefined> {
  let way: string | undefined = wayById(id);
  const look = async (): Promise<void> => {
    // The id is right even where nobody is left to ask.
    way = await chooseWay(id, from, store).catch(() => wayById(id));
  };
  await within(systemClock, longestMs, look());
  return way;
}

async function chooseWay(id: SessionId, from: Address, { sessions, turns }: CommandStore): Promise<string | undefined> {
  const latest = await findLatest(sessions);
  if (latest?.id === id) return 'talaria -c';
  const session = (await sessions.matching(id)).find((each) => each.id === id);
  if (session !== undefined && wasTakenAway(session.address, from)) return undefined;
  return (await turns.after(id, 0)).length === 0 ? undefined : wayById(id);
}

/** Without a gateway a conversation stays at the address of its chat, and the terminal sits there. */
function wasTakenAway(to: Address, from: Address): boolean {
  return to.platform !== 'terminal' && addressKey(to) !== addressKey(from);
}
