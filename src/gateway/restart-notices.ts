import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { SessionId, TurnId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store, StoreTx } from '../model/store.ts';
import { foldTurn } from '../model/turn-state.ts';
import type { Announcement, TurnRef } from '../model/turn.ts';

export interface RestartNoticesDeps {
  readonly store: Store;
  readonly serves: (address: Address) => boolean;
  readonly deliver: (address: Address) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const texts: Readonly<Record<Announcement, string>> = {
  pause: 'Pausing here: the program is being stopped or restarted. This goes on by itself when it is back.',
  return: 'Back again. Going on with this.',
};

// One that did not get out before the end has nothing to say after it.
const noticeLifeMs = 60_000;

/**
 * Tells people that what they wait for rests while the program is stopped, and that it goes on. That they were told is an
 * entry of the turn, written together with the notice: through however many restarts, each is told once a turn.
 */
export class RestartNotices {
  readonly #deps: RestartNoticesDeps;
  /** Where somebody was told of this pause. */
  readonly #paused = new Map<SessionId, Address>();

  constructor(deps: RestartNoticesDeps) {
    this.#deps = deps;
  }

  /** Tells all who wait for a turn without a result. Resolves once that was tried. */
  async pauseAll(): Promise<void> {
    for (const sessionId of await this.#unsettledSessions()) await this.pause(sessionId);
    await Promise.all([...this.#paused.values()].map((address) => this.#deps.deliver(address)));
  }

  /** Tells whoever waits in one session, of all that is unsettled there or of one turn: one line for all of it. */
  async pause(sessionId: SessionId, only?: TurnId): Promise<void> {
    const address = await this.#announceOrNote('pause', sessionId, only);
    if (address === undefined) return;
    this.#paused.set(sessionId, address);
    // Not waited for: a chat that is flooded must not keep others from being heard.
    void this.#deps.deliver(address);
  }

  /** Writes to those who were told of the pause. It goes out with whatever else waits in the outbox. */
  async returnAll(): Promise<void> {
    for (const sessionId of await this.#unsettledSessions()) await this.#announceOrNote('return', sessionId);
  }

  async #unsettledSessions(): Promise<readonly SessionId[]> {
    const turns = await this.#deps.store.turns.unsettled();
    return [...new Set(turns.map(({ sessionId }) => sessionId))];
  }

  /** Where somebody was told. A notice that cannot be written, on a full disk, holds up neither the end nor the start. */
  async #announceOrNote(what: Announcement, sessionId: SessionId, only?: TurnId): Promise<Address | undefined> {
    const { store, serves, log } = this.#deps;
    try {
      const session = await store.sessions.get(sessionId);
      if (session === undefined || !serves(session.address)) return undefined;
      return (await this.#announce(what, session, only)) ? session.address : undefined;
    } catch (thrown) {
      log.write('warn', 'nobody could be told about the restart', { sessionId, reason: describeError(thrown) });
      return undefined;
    }
  }

  async #announce(what: Announcement, { id, address }: Session, only?: TurnId): Promise<boolean> {
    const isTold = what === 'pause' && this.#paused.has(id);
    const notAfter = this.#deps.clock.now() + noticeLifeMs;
    return await this.#deps.store.transaction(async (tx) => {
      const turns = (await turnsToTell(what, id, tx)).filter(({ turnId }) => only === undefined || turnId === only);
      for (const turn of turns) await tx.turns.append(turn, [{ type: 'turn.announced', what }]);
      if (turns.length === 0) return false;
      if (!isTold) await tx.outbox.enqueue({ sessionId: id, address, kind: 'notice', text: texts[what], notAfter });
      return true;
    });
  }
}

async function turnsToTell(what: Announcement, sessionId: SessionId, tx: StoreTx): Promise<readonly TurnRef[]> {
  const logged = await tx.turns.after(sessionId, 0);
  return (await tx.turns.unsettled(sessionId)).filter(({ turnId }) => {
    const entries = logged.filter((each) => each.turnId === turnId).map(({ entry }) => entry);
    return foldTurn(entries).announced === (what === 'pause' ? undefined : 'pause');
  });
}
