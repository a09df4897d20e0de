import type { SessionId, TurnId } from '../base/ids.ts';
import { partsToText } from '../model/message.ts';
import type { Message } from '../model/message.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { TurnLog } from '../model/store.ts';
import { foldEntry, foldTurn } from '../model/turn-state.ts';
import type { TurnState } from '../model/turn-state.ts';
import type { Compaction, ContextMark, LoggedEntry, TurnEntry } from '../model/turn.ts';
import { AskedPrefixes } from './asked-prefixes.ts';
import { Compactions } from './compact/compactions.ts';
import { TokenCounts } from './compact/token-counts.ts';
import { addToMessages, emptyTurnMessages, forgetReasoning, messagesToSend } from './context.ts';
import type { TurnMessages } from './context.ts';
import { weighEntry } from './weigh-entry.ts';
import { WithheldImages } from './withheld-images.ts';

interface FoldedTurn {
  readonly messages: TurnMessages;
  state: TurnState;
}

interface SeenTurn {
  readonly id: TurnId;
  readonly turn: FoldedTurn;
  readonly from: number;
}

/** A message, who it is from, and the mark right behind it. */
export interface PlacedMessage {
  readonly message: Message;
  readonly author: 'user' | 'model' | 'tool' | 'program';
  readonly mark: ContextMark;
}

/**
 * A session's log, folded as far as `seq`. It holds only what is committed. Turns stand in order of admission, but for one
 * that interrupts another, right behind that one; and a turn sees its predecessors and itself: a message that waits in the
 * queue is never shown to the turn before it.
 */
export class Conversation {
  /** What the models were last asked with. */
  readonly prefixes = new AskedPrefixes();
  readonly compactions = new Compactions();
  readonly tokens = new TokenCounts();
  readonly #withheld = new WithheldImages();
  readonly #sessionId: SessionId;
  #turns = new Map<TurnId, FoldedTurn>();
  readonly #undone = new Set<TurnId>();
  #seq = 0;
  #weight = 0;
  /** What was asked for last, as long as nothing was added. */
  #asked: { readonly turnId: TurnId; readonly seq: number; readonly messages: readonly Message[] } | undefined;

  constructor(sessionId: SessionId) {
    this.#sessionId = sessionId;
  }

  get seq(): number {
    return this.#seq;
  }

  /** About how many bytes of memory it takes. */
  get weight(): number {
    return this.#weight;
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
      this.#weight += weighEntry(entry);
      const turn = this.#turns.get(turnId) ?? this.#begin(turnId, entry);
      turn.state = foldEntry(turn.state, entry);
      addToMessages(turn.messages, entry);
      this.#leaveOut(turnId, entry);
      this.prefixes.take(entry);
      this.compactions.take(entry, turn.state.purpose?.type === 'compact' ? 'by-hand' : 'by-itself');
    }
  }

  state(turnId: TurnId): TurnState {
    return this.#turns.get(turnId)?.state ?? foldTurn([]);
  }

  /** Whether the model reads a turn: not where it was taken back. */
  isRead(turnId: TurnId): boolean {
    return this.#turns.has(turnId) && !this.#undone.has(turnId);
  }

  /** Whether a summary stands for a turn, or for its beginning. */
  isShortened(turnId: TurnId): boolean {
    const through = this.compactions.inForce?.compaction.through;
    return through !== undefined && this.#turnsThrough(through.turnId, undefined).some(({ id }) => id === turnId);
  }

  /**
   * Everything that a request of this turn carries, oldest first. Where the beginning was shortened, what stands for it
   * comes first.
   */
  messagesFor(turnId: TurnId): readonly Message[] {
    const asked = this.#asked;
    if (asked?.turnId === turnId && asked.seq === this.#seq) return asked.messages;
    const messages = this.#messagesFor(turnId);
    this.#asked = { turnId, seq: this.#seq, messages };
    return messages;
  }

  #messagesFor(turnId: TurnId): readonly Message[] {
    const standIn = this.compactions.inForce;
    const messages = standIn === undefined ? [] : [standIn.message, ...this.heldBy(standIn.compaction)];
    for (const { turn, from } of this.#turnsThrough(turnId, standIn?.compaction.through)) {
      const own = messagesToSend(turn.messages);
      for (const message of from === 0 ? own : own.slice(from)) messages.push(message);
    }
    return messages;
  }

  /** The same, as this model reads it. */
  messagesTo(runtime: RuntimeName, turnId: TurnId): readonly Message[] {
    return this.#withheld.readBy(runtime, this.messagesFor(turnId));
  }

  /** The messages of a turn and of those before it that are not shortened, oldest first. */
  placedFor(turnId: TurnId): readonly PlacedMessage[] {
    return this.#place(turnId, this.compactions.inForce?.compaction.through);
  }

  /** The same as if nothing had ever been shortened. */
  everythingFor(turnId: TurnId): readonly PlacedMessage[] {
    return this.#place(turnId, undefined);
  }

  /** The message that stays in sight behind what stands for the beginning, if there is one. */
  heldBy({ through, holds }: Pick<Compaction, 'through' | 'holds'>): readonly Message[] {
    const turn = this.#turns.get(through.turnId);
    if (turn === undefined || holds === undefined) return [];
    return messagesToSend(turn.messages).slice(holds - 1, holds);
  }

  /** What people said in the part that a compaction stands for, oldest first, without what it holds. */
  saidIn({ through, holds }: Pick<Compaction, 'through' | 'holds'>): readonly string[] {
    return this.everythingFor(through.turnId).flatMap(({ message, author, mark }) => {
      const isMarkedTurn = mark.turnId === through.turnId;
      if (isMarkedTurn && (mark.messages > through.messages || mark.messages === holds)) return [];
      if (message.role === 'tool') return message.steering;
      return message.role === 'user' && author === 'user' ? [partsToText(message.parts)] : [];
    });
  }

  #place(turnId: TurnId, through: ContextMark | undefined): readonly PlacedMessage[] {
    return this.#turnsThrough(turnId, through).flatMap(({ id, turn, from }) => placeMessages(id, turn).slice(from));
  }

  /** A turn and those before it, as far as they lie behind a mark, each with how many of its messages lie before it. */
  #turnsThrough(turnId: TurnId, mark: ContextMark | undefined): readonly SeenTurn[] {
    const seen: SeenTurn[] = [];
    let isBehind = mark === undefined;
    for (const [id, turn] of this.#turns) {
      isBehind ||= id === mark?.turnId;
      const isRead = isBehind && !this.#undone.has(id);
      if (isRead) seen.push({ id, turn, from: id === mark?.turnId ? mark.messages : 0 });
      if (id === turnId) break;
    }
    return seen;
  }

  /** What a server did not take is not sent to it again, and what was taken back to none. */
  #leaveOut(turnId: TurnId, entry: TurnEntry): void {
    if (entry.type === 'context.undone') this.#undone.add(entry.turn);
    if (entry.type !== 'step.failed') return;
    if (entry.next.type === 'forget-reasoning') {
      for (const { messages } of this.#turns.values()) forgetReasoning(messages, entry.next.of);
    }
    if (entry.next.type === 'withhold-images') {
      const sent = this.#turnsThrough(turnId, undefined).flatMap(({ turn }) => turn.messages.carried);
      this.#withheld.withhold(entry.next.from, sent);
    }
  }

  #begin(turnId: TurnId, entry: TurnEntry): FoldedTurn {
    const turn: FoldedTurn = { messages: emptyTurnMessages(), state: foldTurn([]) };
    const interrupts = entry.type === 'turn.admitted' ? entry.interrupts : undefined;
    if (interrupts === undefined) this.#turns.set(turnId, turn);
    else this.#turns = insertBehind(this.#turns, interrupts, turnId, turn);
    return turn;
  }
}

/** Behind a turn and those that interrupted it before. What follows there has not begun, or it could not be interrupted. */
function insertBehind(
  turns: ReadonlyMap<TurnId, FoldedTurn>,
  interrupted: TurnId,
  turnId: TurnId,
  turn: FoldedTurn,
): Map<TurnId, FoldedTurn> {
  const entries = [...turns];
  const group = new Set([interrupted]);
  for (const [id, { state }] of entries) {
    if (state.interrupts !== undefined && group.has(state.interrupts)) group.add(id);
  }
  const place = entries.findLastIndex(([id]) => group.has(id));
  return new Map(entries.toSpliced(place + 1, 0, [turnId, turn]));
}

function placeMessages(turnId: TurnId, turn: FoldedTurn): readonly PlacedMessage[] {
  return messagesToSend(turn.messages).map((message, index) => ({
    message,
    author: authorOf(message, turn),
    mark: { turnId, messages: index + 1 },
  }));
}

function authorOf(message: Message, turn: FoldedTurn): PlacedMessage['author'] {
  if (message.role === 'user') return turn.messages.nudges.has(message) ? 'program' : 'user';
  return message.role === 'assistant' ? 'model' : 'tool';
}
