import type { Outbound } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';
import type { Said } from './talk.ts';

export interface RunStart {
  readonly model: string;
  /** Turns that were unsettled before: they go on first, and their words are no part of the reply. */
  readonly earlier: ReadonlySet<string>;
}

/** What a one-shot shows of its turn, for a person or for a program. */
export interface RunOutput {
  started(start: RunStart): void;
  note(text: string): void;
  take(turn: TurnRef, event: StepEvent): void;
  /** What the gateway delivers here. */
  show(message: Outbound): void;
  finish(said: Said, exitCode: number): void;
}
