import type { Catalogue } from '../model/catalogue.ts';
import type { MicroUsd } from '../model/money.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';
import type { LoggedEntry } from '../model/turn.ts';
import { findReasons, usualWeights } from './expense-reasons.ts';
import type { Reason, Weights } from './expense-reasons.ts';
import { readCalls, usageOf } from './logged-calls.ts';
import type { LoggedCall } from './logged-calls.ts';

export interface ExplainDeps {
  readonly catalogue: Pick<Catalogue, 'cost' | 'price'>;
  readonly cacheLife: CacheLife;
}

/** A call of the turn with what it cost; undefined where that is not known. */
export interface CostedCall extends LoggedCall {
  readonly cost: MicroUsd | undefined;
}

/** What the last turn cost, and why: the most expensive reason first. */
export interface TurnExplanation {
  readonly calls: readonly CostedCall[];
  readonly reasons: readonly Reason[];
  /** Whether every price is known that the shares of the reasons go by. */
  readonly shares: 'priced' | 'estimated';
}

/** Explains the last turn of a session's log in which a model was asked; undefined where there is none. */
export async function explainLastTurn(
  entries: readonly LoggedEntry[],
  deps: ExplainDeps,
): Promise<TurnExplanation | undefined> {
  const all = readCalls(entries);
  const last = all.at(-1)?.turnId;
  const first = all.findIndex(({ turnId }) => turnId === last);
  if (first === -1) return undefined;
  const calls: CostedCall[] = [];
  const prices = new Map<RuntimeName, Weights | undefined>();
  for (const call of all.slice(first)) {
    prices.set(call.runtime, await weigh(call, deps.catalogue));
    calls.push({ ...call, cost: await costOf(call, deps.catalogue) });
  }
  const areKnown = prices.values().every((price) => price !== undefined);
  const reasons = findReasons(calls, {
    before: all.slice(0, first),
    // One measure for all of them: prices of one model cannot be held against guesses about another.
    weightsOf: (runtime) => (areKnown ? prices.get(runtime) : undefined) ?? usualWeights,
    cacheLife: deps.cacheLife,
  });
  return { calls, reasons, shares: areKnown ? 'priced' : 'estimated' };
}

async function costOf(call: LoggedCall, catalogue: Pick<Catalogue, 'cost'>): Promise<MicroUsd | undefined> {
  const usage = usageOf(call);
  return usage && (await catalogue.cost(call.runtime, usage, call.at, call.cacheLife));
}

async function weigh({ runtime, at }: LoggedCall, catalogue: Pick<Catalogue, 'price'>): Promise<Weights | undefined> {
  const price = await catalogue.price(runtime, at);
  if (price?.input === undefined || price.output === undefined) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  // Where nothing costs anything, tokens are still worth telling apart.
  return input + output === 0 ? undefined : { input, output, cacheRead, cacheWrite };
}
