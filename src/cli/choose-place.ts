import { AppError, systemErrorCode } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { localOwner } from '../gateway/access.ts';
import { describeMove } from '../gateway/take-over.ts';
import type { Session } from '../model/session.ts';
import type { CommandStore, ProcessPort, Seat } from './app-port.ts';
import type { Arguments } from './command.ts';

/** Where this terminal sits, and the session that it continues, if any. */
export interface Place {
  readonly seat: Omit<Seat, 'port'>;
  readonly session: Session | undefined;
  /** What whoever continues it should know: that it was in another chat until now. */
  readonly notes: readonly string[];
}

type KnownSessions = CommandStore['sessions'];

const platform = 'terminal';

/** A new chat in the current folder, or, with `-c` and `-r`, the place of an earlier session. */
export async function choosePlace(
  args: Arguments,
  sessions: KnownSessions,
  process: Pick<ProcessPort, 'cwd'>,
): Promise<Place> {
  const session = await findEarlier(args, sessions);
  if (session === undefined) {
    const address = { platform, account: 'local', chat: newId('node', Date.now()), thread: '' };
    return { seat: { address, person: localOwner, workdir: currentFolder(process) }, session, notes: [] };
  }
  const { address, workdir, person } = await sessions.resume(session.id);
  return { seat: { address, person, workdir }, session, notes: describeMove(session.address, address) };
}

function currentFolder(process: Pick<ProcessPort, 'cwd'>): string {
  try {
    return process.cwd();
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
    throw new AppError('not-found', 'the folder you are in no longer exists; go to another one', { cause: thrown });
  }
}

async function findEarlier(args: Arguments, sessions: KnownSessions): Promise<Session | undefined> {
  const id = args.value('resume');
  if (id !== undefined) {
    const { findSession } = await import('./find-session.ts');
    return await findSession(id, sessions);
  }
  if (!args.has('continue')) return undefined;
  const latest = await findLatest(sessions);
  if (latest === undefined) throw new AppError('not-found', 'there is no session to continue yet');
  return latest;
}

/** The session that `-c` continues. */
export async function findLatest(sessions: Pick<KnownSessions, 'list'>): Promise<Session | undefined> {
  const [latest] = await sessions.list({ platform, limit: 1, stage: 'begun' });
  return latest;
}
