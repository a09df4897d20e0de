import type { ModelEvent } from '../model/provider.ts';

/** How an answer ends. */
export type AnswerEnd = Extract<ModelEvent, { readonly type: 'finished' | 'failed' }>;

/** What was seen of an answer on its way. */
export class ArrivingAnswer {
  text = '';
  /** The bytes of its words and thoughts. */
  bytes = 0;
  hasBegun = false;
  /** Whether something was written in it that is not shown while it arrives. */
  hasHidden = false;

  take(event: Exclude<ModelEvent, AnswerEnd>): void {
    this.hasBegun = true;
    if (event.type === 'call.begun') {
      this.hasHidden = true;
      return;
    }
    if (event.type === 'text.delta') this.text += event.text;
    this.bytes += Buffer.byteLength(event.text);
  }
}
