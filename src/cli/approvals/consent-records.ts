import type { SessionId } from '../../base/ids.ts';
import type { LoggedEntry, TurnEntry } from '../../model/turn.ts';

type Answered = Extract<TurnEntry, { readonly type: 'approval.answered' }>;

/** A question, and what became of it. */
export interface ConsentRecord {
  /** When it was answered, or asked where it was not. */
  readonly at: number;
  readonly session: SessionId;
  readonly question: string;
  readonly verdict: Answered['verdict'] | 'open';
  readonly by: Answered['by'];
  readonly rule?: Answered['rule'];
  readonly scope?: Answered['scope'];
  readonly covers?: Answered['covers'];
}

/** Puts questions and their answers together, in the order in which they were asked. Pure. */
export function foldConsents(entries: readonly LoggedEntry[]): readonly ConsentRecord[] {
  const records = new Map<string, ConsentRecord>();
  for (const { sessionId, turnId, at, entry } of entries) {
    if (entry.type === 'approval.asked') {
      const { question } = entry;
      records.set(`${turnId}/${entry.callId}`, { at, session: sessionId, question, verdict: 'open', by: null });
    } else if (entry.type === 'approval.answered') {
      const key = `${turnId}/${entry.callId}`;
      const asked = records.get(key);
      const { verdict, by, rule, scope, covers } = entry;
      const answer = { verdict, by, ...(rule && { rule }), ...(scope && { scope }), ...(covers && { covers }) };
      // One whose question lies further back than was looked is left out.
      if (asked !== undefined) records.set(key, { ...asked, at, ...answer });
    }
  }
  return [...records.values()];
}
