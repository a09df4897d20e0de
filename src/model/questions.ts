import type { CallId } from '../base/ids.ts';
import type { TurnRef } from './turn.ts';

/** A question that the model has for the person it works for. */
export interface Question {
  readonly text: string;
  /** What may be chosen; any other words are an answer, too. */
  readonly choices: readonly string[];
}

export interface AskedQuestion extends Question {
  readonly turn: TurnRef;
  readonly callId: CallId;
  /** What a button must name. The same question of the same call has the same one after a restart. */
  readonly digest: string;
}

export type QuestionEnd =
  | { readonly type: 'answered'; readonly text: string }
  /** Nobody is there who could be asked, or whoever is there does not want to say. */
  | { readonly type: 'nobody' }
  | { readonly type: 'silence' };

/** Asks a person something that is not about consent. An answer is in the log of the turn before this resolves. */
export interface Questions {
  ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionEnd>;
}
