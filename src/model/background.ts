import type { SessionId } from '../base/ids.ts';

/** How a background process stands. */
export type ProcessState =
  | { readonly type: 'running' }
  | {
      readonly type: 'exited';
      readonly code: number;
      readonly atMs: number;
      /** Set where it did not end by itself: a person had it stopped, or its session was closed. */
      readonly stoppedBy?: 'user' | 'close';
    }
  /** It is gone, and so is what would have written down how it ended. */
  | { readonly type: 'lost' }
  /** Nobody has begun it yet, or ever will. */
  | { readonly type: 'waiting' };

/** A background process as people are shown it. */
export interface ShownProcess {
  readonly id: string;
  readonly sessionId: SessionId;
  /** On one line, without keys of ours. */
  readonly command: string;
  readonly workdir: string;
  readonly startedAtMs: number;
  /** How long it has been running, or ran until it ended; undefined where nobody knows. */
  readonly ranMs: number | undefined;
  readonly state: ProcessState;
}

/** What came of stopping a process. */
export type Stopping =
  | { readonly type: 'stopped' }
  /** It had ended before; what it left behind is ended. */
  | { readonly type: 'over' }
  | { readonly type: 'still-running' };

/** The background processes of all sessions, for people. All of it is on the disk: it works beside a running program. */
export interface Background {
  /** Those of a session, or of all of them, in the order in which they were started. */
  list(sessionId?: SessionId): readonly ShownProcess[];
  /** The last lines of what a process has put out. */
  readEnd(process: ShownProcess, lines: number): Promise<string>;
  /**
   * Ends everything that belongs to a process. The model hears of it; so does the chat of its session, except where
   * whoever stops it is told there.
   */
  stop(process: ShownProcess, toldWhere: 'in-its-chat' | 'elsewhere'): Promise<Stopping>;
  /** Notes that the chat of a process is told of its end by whoever is about to end it, so that nobody else does. */
  noteTold(process: ShownProcess): void;
}
