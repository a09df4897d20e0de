import type { CallId, SessionId, TurnId } from '../../base/ids.ts';
import type { TurnLog } from '../../model/store.ts';
import type { LoggedEntry, TurnEntry } from '../../model/turn.ts';

type Answered = Extract<TurnEntry, { readonly type: 'approval.answered' }>;

/** A question, and what became of it. */
export interface ConsentRecord {
  /** When it was answered or stopped, or asked where neither happened. */
  readonly at: number;
  readonly session: SessionId;
  readonly question: string;
  /** `stopped`: nobody answered before its turn was over. */
  readonly verdict: Answered['verdict'] | 'open' | 'stopped';
  readonly by: Answered['by'];
  readonly rule?: Answered['rule'];
  readonly scope?: Answered['scope'];
  readonly covers?: Answered['covers'];
}

/** What was asked and what became of it, in the order of time (`at`), of at most so many questions. */
export async function readConsents(
  limit: number,
  turns: Pick<TurnLog, 'consents' | 'after'>,
): Promise<readonly ConsentRecord[]> {
  // A question and its answer are an entry each.
  const entries = await turns.consents(2 * limit);
  const ends = await readEnds(entries, turns);
  const records = foldConsents([...entries, ...ends]);
  return records.toSorted((one, other) => one.at - other.at).slice(-limit);
}

/** How it went on in the sessions where a question has no answer. */
async function readEnds(
  consents: readonly LoggedEntry[],
  turns: Pick<TurnLog, 'after'>,
): Promise<readonly LoggedEntry[]> {
  const answered = new Set(consents.flatMap(({ turnId, entry }) => (isAnswer(entry) ? [keyOf(turnId, entry)] : [])));
  const open = consents.filter(
    ({ turnId, entry }) => entry.type === 'approval.asked' && !answered.has(keyOf(turnId, entry)),
  );
  const firstOpen = new Map(open.toReversed().map(({ sessionId, seq }) => [sessionId, seq]));
  const logs = await Promise.all([...firstOpen].map(([sessionId, seq]) => turns.after(sessionId, seq)));
  // What was asked only while this was read comes the next time.
  return logs.flat().filter(({ entry }) => entry.type !== 'approval.asked');
}

/** Puts questions and their ends together, in the order in which they were asked. Pure. */
function foldConsents(entries: readonly LoggedEntry[]): readonly ConsentRecord[] {
  const records = new Map<string, ConsentRecord>();
  for (const { sessionId, turnId, at, entry } of entries) {
    if (entry.type === 'approval.asked') {
      const { question } = entry;
      records.set(keyOf(turnId, entry), { at, session: sessionId, question, verdict: 'open', by: null });
    } else if (isAnswer(entry)) {
      const asked = records.get(keyOf(turnId, entry));
      const { verdict, by, rule, scope, covers } = entry;
      const answer = { verdict, by, ...(rule && { rule }), ...(scope && { scope }), ...(covers && { covers }) };
      // One whose question lies further back than was looked is left out.
      if (asked !== undefined) records.set(keyOf(turnId, entry), { ...asked, at, ...answer });
    } else if (entry.type === 'turn.settled') {
      for (const [key, asked] of records)
        if (asked.verdict === 'open' && key.startsWith(keyOf(turnId)))
          records.set(key, { ...asked, at, verdict: 'stopped' });
    }
  }
  return [...records.values()];
}

function isAnswer(entry: TurnEntry): entry is Answered {
  return entry.type === 'approval.answered';
}

/** Without a call: what the keys of all calls of the turn begin with. */
function keyOf(turnId: TurnId, call?: { readonly callId: CallId }): string {
  return `${turnId}/${call?.callId ?? ''}`;
}
