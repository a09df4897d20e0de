import type { Catalogue } from '../model/catalogue.ts';
import type { MoneyLimits } from '../model/config.ts';
import { formatUsd, microUsdPerUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { describeUnpriced } from '../turn/money-limits.ts';
import { longestAnswer } from '../turn/purse.ts';
import { distinctRuntimes } from './model-facts.ts';
import type { Models } from './models.ts';

/** What of the models in the settings cannot be used, or not as it seems. */
export interface ModelReview {
  /** Why no chat could begin, and the keys of the settings that say so. */
  readonly problem: { readonly text: string; readonly path: readonly string[] } | undefined;
  readonly warnings: readonly string[];
}

export interface ReviewDeps {
  readonly models: Models;
  readonly catalogue: Pick<Catalogue, 'cost' | 'window'>;
  readonly now: number;
}

/** Judges the models of the settings without asking any of them. */
export async function reviewModels(deps: ReviewDeps): Promise<ModelReview> {
  const { model } = deps.models.config;
  const aliases = await reviewAliases(deps.models);
  const found = await deps.models.find(undefined);
  if (found.type === 'unusable') {
    const path = ['model', model.provider === undefined ? 'default' : 'provider'];
    return { problem: { text: found.problem, path }, warnings: aliases };
  }
  const limits = await Promise.all(distinctRuntimes(found.chain).map((runtime) => reviewLimits(runtime, deps)));
  return { problem: undefined, warnings: [...found.warnings, ...aliases, ...limits.flat()] };
}

async function reviewAliases(models: Models): Promise<readonly string[]> {
  const lines = await Promise.all(
    Object.keys(models.config.model.aliases).map(async (alias) => {
      const found = await models.find(alias);
      return found.type === 'unusable' ? [`the alias ${alias} cannot be used: ${found.problem}`] : [];
    }),
  );
  return lines.flat();
}

/** Limits that would stop every turn: those that cannot be kept, and those that no answer fits into. */
async function reviewLimits(runtime: Runtime, deps: ReviewDeps): Promise<readonly string[]> {
  const { limits, model } = deps.models.config;
  const amounts = amountsOf(limits);
  if (amounts.length === 0) return [];
  const { name, cacheLife } = runtime;
  const output = model.maxOutputTokens ?? (await boundOfAnswers(runtime, deps));
  const cost = await deps.catalogue.cost(name, { ...noUsage, fresh: 1, output }, deps.now, cacheLife);
  if (cost === undefined) return [`${describeUnpriced(name)}; until then every turn with it is stopped`];
  return amounts
    .filter(([, usd]) => usd * microUsdPerUsd < cost)
    .map(
      ([key, usd]) =>
        `limits.${key} is ${formatUsd(usd * microUsdPerUsd)}, and an answer of ${name} may cost up to ${formatUsd(cost)}, so that it is never asked: raise it, or set model.max_output_tokens`,
    );
}

/** At least this much is set aside for an answer: it always has a quarter of the window. */
async function boundOfAnswers({ name, window }: Runtime, { catalogue }: ReviewDeps): Promise<number> {
  const known = window ?? (await catalogue.window(name)) ?? Infinity;
  return Math.min(longestAnswer, Math.floor(known / 4));
}

function amountsOf(limits: MoneyLimits): readonly (readonly [string, number])[] {
  const all = [
    ['per_turn', limits.perTurn],
    ['per_session', limits.perSession],
    ['per_person', limits.perPerson],
    ['per_day', limits.perDay],
    ['per_month', limits.perMonth],
  ] as const;
  return all.flatMap(([key, usd]) => (usd === undefined ? [] : [[key, usd]]));
}
