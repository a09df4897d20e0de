import { describeResult } from '../../gateway/drain.ts';
import type { TurnTranscript } from '../render/transcript.ts';

/**
 * Replies that a transcript has put on the screen. The outbox may still hold them, where the program ended between
 * settling and sending: those are taken as shown, each once, and everything else is news.
 */
export class ShownReplies {
  readonly #texts: string[];

  constructor(recalled: readonly TurnTranscript[]) {
    this.#texts = recalled.flatMap(({ result }) => (result === undefined ? [] : [describeResult(result)]));
  }

  take(text: string): boolean {
    const index = this.#texts.indexOf(text);
    if (index !== -1) this.#texts.splice(index, 1);
    return index !== -1;
  }

  /** From here on everything that is delivered is new, even if it says the same. */
  forget(): void {
    this.#texts.length = 0;
  }
}
