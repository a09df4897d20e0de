import type { Usage } from '../model/provider.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';
import { describeMiss } from './cache-misses.ts';
import { usageOf } from './logged-calls.ts';
import type { LoggedCall } from './logged-calls.ts';
import { countCalls, formatTokens } from './usage-report.ts';
import type { Expense } from './wasted-calls.ts';
import { describeFailed, describeLost, describeSummary } from './wasted-calls.ts';

/** A reason in words, and its share of what the turn cost, from 0 to 1. */
export interface Reason {
  readonly text: string;
  readonly share: number;
}

/** What tokens of each kind weigh against each other. */
export interface Weights {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** How most price lists relate: for models whose own is not known. */
export const usualWeights: Weights = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

export interface Circumstances {
  /** The calls of the session before the turn. */
  readonly before: readonly LoggedCall[];
  readonly weightsOf: (runtime: RuntimeName) => Weights;
  readonly cacheLife: CacheLife;
}

/** Why a turn cost what it did, the most expensive reason first. Pure. */
export function findReasons(calls: readonly LoggedCall[], circumstances: Circumstances): readonly Reason[] {
  const expenses = calls.flatMap((call, index) =>
    findExpenses(call, [...circumstances.before, ...calls.slice(0, index)], circumstances),
  );
  const total = expenses.reduce((sum, { weight }) => sum + weight, 0);
  const groups = [...Map.groupBy(expenses, ({ kind }) => kind).values()];
  return groups
    .flatMap((group) => {
      const [first] = group;
      const tokens = group.reduce((sum, expense) => sum + expense.tokens, 0);
      const weight = group.reduce((sum, expense) => sum + expense.weight, 0);
      const text = first?.say(formatTokens(tokens), countCalls(group.length)) ?? '';
      return [{ text, share: total === 0 ? 0 : weight / total }];
    })
    .toSorted((left, right) => right.share - left.share);
}

function findExpenses(
  call: LoggedCall,
  earlier: readonly LoggedCall[],
  { weightsOf, cacheLife }: Circumstances,
): readonly Expense[] {
  const usage = usageOf(call);
  const weigh = weightsOf(call.runtime);
  if (call.end.type === 'lost') return [describeLost(call)];
  if (call.end.type === 'failed') return [describeFailed(call, call.end, usage ? weightOf(usage, weigh) : 0)];
  if (call.purpose === 'compaction') return [describeSummary(call, call.end.usage, weightOf(call.end.usage, weigh))];
  return [
    ...describePrompt(call, call.end.usage, { earlier, cacheLife, weigh }),
    ...describeOutput(call.end.usage, weigh),
  ];
}

function weightOf({ fresh, cacheRead, cacheWrite, output }: Usage, weigh: Weights): number {
  return fresh * weigh.input + cacheRead * weigh.cacheRead + cacheWrite * weigh.cacheWrite + output * weigh.output;
}

interface PromptClues {
  readonly earlier: readonly LoggedCall[];
  readonly cacheLife: CacheLife;
  readonly weigh: Weights;
}

/** What was read anew is split into what the server could have had ready, and what it could not. */
function describePrompt(
  call: LoggedCall,
  usage: Usage,
  { earlier, cacheLife, weigh }: PromptClues,
): readonly Expense[] {
  const anew = usage.fresh + usage.cacheWrite;
  const perToken = anew === 0 ? 0 : (usage.fresh * weigh.input + usage.cacheWrite * weigh.cacheWrite) / anew;
  const miss = describeMiss(call, usage, earlier, cacheLife);
  const missed = miss?.tokens ?? 0;
  const expenses: readonly Expense[] = [
    ...(miss === undefined ? [] : [{ ...miss, weight: missed * perToken }]),
    {
      kind: 'new',
      tokens: anew - missed,
      weight: (anew - missed) * perToken,
      say: (tokens) => `${tokens} tokens were new: what was said, what tools returned, and its own answers.`,
    },
    {
      kind: 'cached',
      tokens: usage.cacheRead,
      weight: usage.cacheRead * weigh.cacheRead,
      say: (tokens, calls) => `${tokens} tokens were read from the cache, in ${calls}.`,
    },
  ];
  return expenses.filter(({ tokens }) => tokens > 0);
}

function describeOutput({ output, reasoning }: Usage, weigh: Weights): readonly Expense[] {
  const thought = Math.min(reasoning, output);
  const expenses: readonly Expense[] = [
    {
      kind: 'thought',
      tokens: thought,
      weight: thought * weigh.output,
      say: (tokens) => `${tokens} tokens were thoughts, which cost as much as words.`,
    },
    {
      kind: 'written',
      tokens: output - thought,
      weight: (output - thought) * weigh.output,
      say: (tokens, calls) => `${tokens} tokens were written, in ${calls}.`,
    },
  ];
  return expenses.filter(({ tokens }) => tokens > 0);
}
