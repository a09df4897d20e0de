import type { SessionId, TurnId } from '../base/ids.ts';
import type { Message } from '../model/message.ts';
import type { TurnLog } from '../model/store.ts';
import { foldEntry, foldTurn } from '../model/turn-state.ts';
import type { TurnState } from '../model/turn-state.ts';
import type { LoggedEntry } from '../model/turn.ts';
import { AskedPrefixes } from './asked-prefixes.ts';
import { addToMessages, emptyTurnMessages, messagesToSend } from './context.ts';
import type { TurnMessages } from './context.ts';

interface FoldedTurn {
  readonly messages: TurnMessages;
  state: TurnState;
}

/**
 * A session's log, folded as far as `seq`. It holds only what is committed. Turns stand in order of admission, and a
 * turn sees its predecessors and itself: a message that waits in the queue is never shown to the turn before it.
 */
export class Conversation {
  /** What the models were last asked with. */
  readonly prefixes = new AskedPrefixes();
  readonly #sessionId: SessionId;
  readonly #turns = new Map<TurnId, FoldedTurn>();
  #seq = 0;

  constructor(sessionId: SessionId) {
    this.#sessionId = sessionId;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Reads what others have appended meanwhile: admissions and steering come from outside the turn. */
  async catchUp(log: Pick<TurnLog, 'after'>): Promise<void> {
    this.take(await log.after(this.#sessionId, this.#seq));
  }

  /** Takes committed entries, in order; those taken before are passed over. */
  take(entries: readonly LoggedEntry[]): void {
    for (const { seq, turnId, entry } of entries) {
      if (seq <= this.#seq) continue;
      this.#seq = seq;
      const turn = this.#turns.get(turnId) ?? this.#begin(turnId);
      turn.state = foldEntry(turn.state, entry);
      addToMessages(turn.messages, entry);
      this.prefixes.take(entry);
    }
  }

  state(turnId: TurnId): TurnState {
    return this.#turns.get(turnId)?.state ?? foldTurn([]);
  }

  /** Everything that a request of this turn carries, oldest first. */
  messagesFor(turnId: TurnId): readonly Message[] {
    const messages: Message[] = [];
    for (const [id, turn] of this.#turns) {
      messages.push(...messagesToSend(turn.messages));
      if (id === turnId) break;
    }
    return messages;
  }

  #begin(turnId: TurnId): FoldedTurn {
    const turn: FoldedTurn = { messages: emptyTurnMessages(), state: foldTurn([]) };
    this.#turns.set(turnId, turn);
    return turn;
  }
}
