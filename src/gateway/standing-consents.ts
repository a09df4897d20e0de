import type { Clock } from '../base/clock.ts';
import type { PersonId, SessionId } from '../base/ids.ts';
import { findRule } from '../model/approvals.ts';
import type { ApprovalAnswer, StandingRules } from '../model/approvals.ts';
import type { Standing } from '../model/tool.ts';

interface Allowed {
  readonly by: PersonId;
  readonly shown: string;
}

/**
 * What people allowed beyond a single call. For a session it is kept in memory alone, so that it ends with the program;
 * for good it is kept in the home.
 */
export class StandingConsents {
  readonly #rules: StandingRules;
  readonly #clock: Clock;
  readonly #ofSessions = new Map<SessionId, Map<string, Allowed>>();

  constructor(rules: StandingRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** The answer that was given before to acts of just this kind. */
  find(sessionId: SessionId, standing: Standing): ApprovalAnswer | undefined {
    const here = this.#ofSessions.get(sessionId)?.get(standing.covers);
    if (here !== undefined) return { verdict: 'approved', by: here.by, rule: 'session', covers: here.shown };
    const rule = findRule(standing, this.#rules);
    return rule && { verdict: 'approved', by: rule.by, rule: 'always', covers: rule.shown };
  }

  allowInSession(sessionId: SessionId, { covers, shown }: Standing, by: PersonId): void {
    const here = this.#ofSessions.get(sessionId) ?? new Map<string, Allowed>();
    this.#ofSessions.set(sessionId, here.set(covers, { by, shown }));
  }

  async allowAlways({ covers, shown }: Standing, by: PersonId): Promise<void> {
    await this.#rules.add({ covers, shown, by, since: this.#clock.now() });
  }

  /** The kinds of acts that are allowed in a session, as they were shown, in the order in which they were allowed. */
  inSession(sessionId: SessionId): readonly string[] {
    return [...(this.#ofSessions.get(sessionId)?.values() ?? [])].map(({ shown }) => shown);
  }

  forget(sessionId: SessionId): void {
    this.#ofSessions.delete(sessionId);
  }
}
