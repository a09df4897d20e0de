import { AppError } from '../base/errors.ts';
import type { Session } from '../model/session.ts';
import type { Sessions } from '../model/store.ts';
import { oneLine } from './render/one-line.ts';

const mostCandidates = 10;

/** The session that a typed id means. The end of an id, or its beginning, is enough while only one session has it. */
export async function findSession(written: string, sessions: Pick<Sessions, 'matching'>): Promise<Session> {
  const found = await sessions.matching(written);
  const [session] = found;
  if (session === undefined) throw new AppError('not-found', `there is no session ${written}`);
  if (found.length === 1) return session;
  const candidates = found.slice(0, mostCandidates).map(({ id, title }) => `  ${id}  ${oneLine(title, 60)}`.trimEnd());
  const rest = found.length > mostCandidates ? [`  and ${found.length - mostCandidates} more`] : [];
  throw new AppError('bad-usage', [`several sessions are called ${written}:`, ...candidates, ...rest].join('\n'));
}
