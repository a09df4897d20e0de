import { CapturedOutput } from '../shell/captured-output.ts';
import { wholeState } from '../shell/call-ticket.ts';
import type { Answer } from './answer-reader.ts';

/** What an act has come to, as it was told from there. */
export type Told =
  | { readonly type: 'exited'; readonly code: number; readonly isLate: boolean; readonly account: Account }
  /** It was begun, and what looked after it has died. */
  | { readonly type: 'lost'; readonly account: Account }
  /** It was begun by an earlier try. */
  | { readonly type: 'begun' }
  /** It was never begun, and cannot be any more. */
  | { readonly type: 'revoked' }
  /** Nothing was begun, since the folder is not there; this one is. */
  | { readonly type: 'folder'; readonly folder: string; readonly home: string; readonly path: string }
  | { readonly type: 'failed'; readonly reason: string }
  /** Its records cannot be read. */
  | { readonly type: 'unseen' }
  | { readonly type: 'done' };

/** What a command left. */
export interface Account {
  readonly output: string;
  readonly isCut: boolean;
  readonly state: Buffer | undefined;
}

/** Puts the answers to one act together. */
export class ToldSoFar {
  /** Changes when the system there starts anew, or what keeps the records is another. */
  epoch = '';
  readonly #output = new CapturedOutput();
  readonly #show: (line: Buffer) => void;
  #isCut = false;
  #isLate = false;
  #home = '';
  #path = '';
  #state: Buffer | undefined;
  #verdict: { readonly name: string; readonly text: string } | undefined;

  constructor(show: (line: Buffer) => void) {
    this.#show = show;
  }

  hear({ name, bytes }: Answer): void {
    const text = bytes.toString('utf8');
    if (name === 'epoch') this.epoch = text;
    else if (name === 'shows') this.#show(bytes);
    else if (name === 'output') this.#output.add(bytes);
    else if (name === 'skipped') this.#output.skip(Number(text));
    else if (name === 'cut') this.#isCut = true;
    else if (name === 'late') this.#isLate = true;
    else if (name === 'state') this.#state = wholeState(bytes);
    else if (name === 'home') this.#home = text;
    else if (name === 'path') this.#path = text;
    else this.#verdict = { name, text };
  }

  /** All of it, once it is over. */
  result(): Told {
    const { name, text } = this.#verdict ?? { name: '', text: '' };
    if (name === 'exited')
      return { type: 'exited', code: Number(text), isLate: this.#isLate, account: this.#account() };
    if (name === 'lost') return { type: 'lost', account: this.#account() };
    if (name === 'begun' || name === 'revoked' || name === 'unseen') return { type: name };
    if (name === 'folder') return { type: 'folder', folder: text, home: this.#home, path: this.#path };
    if (name === 'failed') return { type: 'failed', reason: text };
    return { type: 'done' };
  }

  #account(): Account {
    return { output: this.#output.text(), isCut: this.#isCut, state: this.#state };
  }
}
