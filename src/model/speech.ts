/** A recording, as it came. */
export interface Recording {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
}

/** What a recording says, as a machine heard it. */
export type Transcript =
  | { readonly type: 'transcribed'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string };

/** Writes down what a recording says. It never throws. */
export type Transcribe = (recording: Recording, signal: AbortSignal) => Promise<Transcript>;
