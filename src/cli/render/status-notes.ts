import type { StepEvent } from '../../model/turn.ts';

/** Where no line can be taken away again, a long silence is explained once, in a line that stays. */
export class StatusNotes {
  readonly #say: (text: string) => void;
  #hasSaid = false;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  follow(event: StepEvent): void {
    if (isSeen(event)) this.#hasSaid = false;
    if (event.type !== 'status' || this.#hasSaid) return;
    this.#hasSaid = true;
    this.#say(event.text);
  }
}

function isSeen(event: StepEvent): boolean {
  if (event.type === 'entry') return event.logged.entry.type === 'tool.called';
  return event.type === 'text.delta' || event.type === 'notice';
}
