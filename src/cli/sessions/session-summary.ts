import type { SessionId } from '../../base/ids.ts';
import type { Session } from '../../model/session.ts';

/** A session as a list shows it. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly platform: string;
  readonly workdir: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly isUnfinished: boolean;
}

/** Pure. */
export function summarise(session: Session, unfinished: ReadonlySet<SessionId>): SessionSummary {
  const { id, title, address, workdir, createdAt, activeAt } = session;
  return { id, title, platform: address.platform, workdir, createdAt, activeAt, isUnfinished: unfinished.has(id) };
}
