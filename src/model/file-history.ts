import type { SessionId, TurnId } from '../base/ids.ts';

/** What files were like before a turn wrote to them, or before they were put back. The newest has the number 1. */
export interface Checkpoint {
  /** Stays the same while others come and go. */
  readonly id: string;
  readonly number: number;
  readonly at: number;
  readonly kind: CheckpointKind;
  readonly files: number;
}

/** `cut-short` is a rollback that the program ended in the middle of: the next one finishes it. */
export type CheckpointKind =
  | { readonly type: 'turn'; readonly turnId: TurnId }
  | { readonly type: 'rollback'; readonly state: 'done' | 'cut-short' };

/** What a rollback does to a file, or why it leaves it alone. */
export interface FileChange {
  readonly path: string;
  readonly type: 'put-back' | 'removed' | 'as-it-was' | 'changed-since' | 'not-kept' | 'failed';
  /** Of what failed or was not kept. */
  readonly reason?: string;
}

export type Rollback =
  | { readonly type: 'none' }
  /** Nothing was touched: someone else has written to some of the files since. */
  | { readonly type: 'refused'; readonly changes: readonly FileChange[] }
  | { readonly type: 'planned' | 'done' | 'finished'; readonly changes: readonly FileChange[] };

/** The files that the tools of a session wrote, as they were. What commands changed is not among them. */
export interface FileHistory {
  /** Newest first. */
  list(sessionId: SessionId): Promise<readonly Checkpoint[]>;
  /** What a rollback to before a checkpoint would do. */
  look(sessionId: SessionId, number: number): Promise<Rollback>;
  /** Puts the files back to what they were before a checkpoint; `forced` also those that someone else changed since. */
  rollBack(sessionId: SessionId, number: number, how: 'careful' | 'forced'): Promise<Rollback>;
}
