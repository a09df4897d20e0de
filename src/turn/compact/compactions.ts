import { textPart } from '../../model/message.ts';
import type { UserMessage } from '../../model/message.ts';
import type { Usage } from '../../model/provider.ts';
import type { Compaction, TurnEntry } from '../../model/turn.ts';

/** What stands for the beginning of a conversation. */
export interface StandIn {
  readonly compaction: Compaction;
  /** The same object for as long as it stands, so that nothing about it has to be worked out twice. */
  readonly message: UserMessage;
}

/** A prompt that a server counted: so many tokens for so many messages. */
export interface MeasuredPrompt {
  readonly tokens: number;
  readonly messages: number;
}

/** Below this share a compaction was hardly worth its price. */
export const leastSaving = 0.1;
const mostIneffective = 2;
const mostUnansweredCalls = 4;

/**
 * What was shortened in a conversation and taken back again, folded from the log. The newest compaction that was not
 * taken back is in force; the ones before it wait behind it.
 */
export class Compactions {
  readonly #standIns: StandIn[] = [];
  #carried = 0;
  #measured: MeasuredPrompt | undefined;
  #ineffectiveInARow = 0;
  #unansweredCalls = 0;
  /** How many of those are of the turn that runs. */
  #callsOfTurn = 0;
  #wasTakenBack = false;

  get inForce(): StandIn | undefined {
    return this.#standIns.at(-1);
  }

  /** The last prompt that a server counted, unless something was taken out of the conversation or put back since. */
  get measured(): MeasuredPrompt | undefined {
    return this.#measured;
  }

  /**
   * Whether the conversation may be shortened without being asked. Not where that bought nothing twice in a row, and not
   * where a person took it back: then it waits for a wish, or for a server that says the conversation is too long.
   */
  get mayRunByItself(): boolean {
    if (this.#wasTakenBack) return false;
    return this.#ineffectiveInARow < mostIneffective && this.#unansweredCalls < mostUnansweredCalls;
  }

  take(entry: TurnEntry, cause: 'by-itself' | 'by-hand'): void {
    if (entry.type === 'step.asked') this.#carried = entry.messages;
    if (entry.type === 'step.finished') this.#measure(entry.usage);
    if (entry.type === 'compaction.asked') this.#countCall();
    if (entry.type === 'context.compacted') this.#begin(entry, cause);
    if (entry.type === 'context.restored') this.#takeBack();
    if (entry.type === 'context.undone') this.#measured = undefined;
    if (entry.type === 'turn.released') this.#endTurn('stopped');
    if (entry.type === 'turn.settled') this.#endTurn(entry.result.type === 'interrupted' ? 'stopped' : 'ended');
  }

  #countCall(): void {
    this.#unansweredCalls += 1;
    this.#callsOfTurn += 1;
  }

  /** A call that somebody stopped says nothing about the next one. */
  #endTurn(how: 'stopped' | 'ended'): void {
    if (how === 'stopped') this.#unansweredCalls -= this.#callsOfTurn;
    this.#callsOfTurn = 0;
  }

  #measure({ fresh, cacheRead, cacheWrite }: Usage): void {
    const tokens = fresh + cacheRead + cacheWrite;
    // Some servers do not count, and an interrupted answer has no count.
    if (tokens > 0) this.#measured = { tokens, messages: this.#carried };
  }

  #begin(compaction: Compaction, cause: 'by-itself' | 'by-hand'): void {
    const { before, after, text } = compaction;
    const isEffective = after <= before * (1 - leastSaving);
    this.#ineffectiveInARow = isEffective || cause === 'by-hand' ? 0 : this.#ineffectiveInARow + 1;
    this.#unansweredCalls = 0;
    this.#callsOfTurn = 0;
    this.#wasTakenBack = false;
    this.#measured = undefined;
    this.#standIns.push({ compaction, message: { role: 'user', parts: [textPart(text)] } });
  }

  #takeBack(): void {
    this.#standIns.pop();
    this.#measured = undefined;
    this.#wasTakenBack = true;
  }
}
