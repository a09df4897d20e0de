import type { Usage } from '../model/provider.ts';
import { describeFailure } from '../turn/describe-failure.ts';
import type { CallEnd, LoggedCall } from './logged-calls.ts';
import { formatTokens, promptOf } from './usage-report.ts';

/** Something that cost something; what is said of several calls is said once. */
export interface Expense {
  /** Expenses of one kind are added up. */
  readonly kind: string;
  readonly tokens: number;
  readonly weight: number;
  readonly say: (tokens: string, calls: string) => string;
}

type FailedEnd = Extract<CallEnd, { readonly type: 'failed' }>;

/** A try that gave no answer. Some are charged for all the same, and some servers do not say. */
export function describeFailed({ runtime }: LoggedCall, { failure, usage }: FailedEnd, weight: number): Expense {
  const why = describeFailure(failure);
  if (usage === undefined) {
    return {
      kind: `failed ${runtime} ${why}`,
      tokens: 0,
      weight: 0,
      say: (_, calls) => `${calls} to ${runtime} failed (${why}); what that took is not known.`,
    };
  }
  return {
    kind: `unusable ${runtime} ${why}`,
    tokens: promptOf(usage) + usage.output,
    weight,
    say: (tokens, calls) => `${tokens} tokens went into ${calls} to ${runtime} that could not be used (${why}).`,
  };
}

export function describeLost({ runtime, purpose }: LoggedCall): Expense {
  const what = purpose === 'compaction' ? 'for a summary came to nothing' : 'was cut off when the program ended';
  return {
    kind: `lost ${runtime} ${purpose}`,
    tokens: 0,
    weight: 0,
    say: (_, calls) => `${calls} to ${runtime} ${what}; what that took is not known.`,
  };
}

export function describeSummary({ runtime }: LoggedCall, usage: Usage, weight: number): Expense {
  const written = formatTokens(usage.output);
  return {
    kind: `summary ${runtime}`,
    tokens: promptOf(usage),
    weight,
    say: (tokens) =>
      `The conversation was shortened: ${runtime} read ${tokens} tokens and wrote ${written} about them.`,
  };
}
