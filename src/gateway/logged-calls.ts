import type { TurnId } from '../base/ids.ts';
import type { CacheMiss, ModelFailure, Usage } from '../model/provider.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';
import type { AfterFailure, LoggedEntry, PrefixChange, TurnEntry } from '../model/turn.ts';

/** One call of a model as the log has it. */
export interface LoggedCall {
  readonly turnId: TurnId;
  readonly at: number;
  readonly runtime: RuntimeName;
  readonly purpose: 'answer' | 'compaction';
  readonly change: PrefixChange | undefined;
  /** How long the server was told to keep what it reads; undefined where nobody noted it. */
  readonly cacheLife: CacheLife | undefined;
  readonly end: CallEnd;
}

export type CallEnd =
  | {
      readonly type: 'answered';
      readonly usage: Usage;
      /** What the server itself says about why it read anew. */
      readonly cacheMiss?: CacheMiss;
    }
  | {
      readonly type: 'failed';
      readonly failure: ModelFailure;
      readonly next: AfterFailure;
      readonly usage: Usage | undefined;
    }
  /** The program ended, or nothing was written down about the end. */
  | { readonly type: 'lost' };

type Asked = Omit<LoggedCall, 'end'>;

/** The calls of a session's log, in order. Calls of one session follow each other, so each end belongs to the last one. Pure. */
export function readCalls(entries: readonly LoggedEntry[]): readonly LoggedCall[] {
  const calls: LoggedCall[] = [];
  let open: Asked | undefined;
  for (const logged of entries) {
    const asked = readAsked(logged);
    const end = open && (asked ? lost : readEnd(logged.entry, open));
    if (open && end) calls.push({ ...open, end });
    open = asked ?? (end ? undefined : open);
  }
  return open ? [...calls, { ...open, end: lost }] : calls;
}

const lost: CallEnd = { type: 'lost' };

function readAsked({ entry, turnId, at }: LoggedEntry): Asked | undefined {
  if (entry.type === 'step.asked') {
    const { runtime, change, cacheLife } = entry;
    return { turnId, at, runtime, purpose: 'answer', change, cacheLife };
  }
  if (entry.type !== 'compaction.asked') return undefined;
  return { turnId, at, runtime: entry.runtime, purpose: 'compaction', change: undefined, cacheLife: undefined };
}

function readEnd(entry: TurnEntry, { purpose }: Asked): CallEnd | undefined {
  if (entry.type === 'step.finished') {
    const { usage, cacheMiss } = entry;
    return { type: 'answered', usage, ...(cacheMiss && { cacheMiss }) };
  }
  if (entry.type === 'step.failed')
    return { type: 'failed', failure: entry.failure, next: entry.next, usage: entry.usage };
  if (entry.type !== 'context.compacted' || purpose !== 'compaction') return undefined;
  // A summary by the program itself stands in for one that no model gave.
  return entry.writtenBy === 'program' ? lost : { type: 'answered', usage: entry.usage };
}

/** What a call took, as far as the server said. */
export function usageOf({ end }: LoggedCall): Usage | undefined {
  return end.type === 'lost' ? undefined : end.usage;
}
