import type { Clock } from '../base/clock.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { CacheLife } from '../model/runtime.ts';
import type { NewSession, Store } from '../model/store.ts';
import type { CommandOutcome } from './command-deps.ts';
import { explainLastTurn } from './explain-turn.ts';
import { renderExplanation } from './render-explanation.ts';
import {
  adviseOnCosts,
  countCalls,
  formatCacheShare,
  formatTokens,
  formatTotalCost,
  priceCalls,
  startOfDay,
  sumUp,
} from './usage-report.ts';
import type { UsageSum } from './usage-report.ts';

export interface UsageCommandDeps {
  readonly store: Pick<Store, 'sessions' | 'usages' | 'turns'>;
  readonly catalogue: Catalogue;
  readonly models: { readonly config: { readonly model: { readonly cacheLife: CacheLife } } };
  readonly clock: Clock;
}

/** What this session and this day took; with `why`, what made the last turn as expensive as it was. */
export async function runUsage(rest: string, where: NewSession, deps: UsageCommandDeps): Promise<CommandOutcome> {
  const session = await deps.store.sessions.at(where);
  if (rest === 'why') {
    const { cacheLife } = deps.models.config.model;
    const entries = await deps.store.turns.after(session.id, 0);
    return renderExplanation(await explainLastTurn(entries, { catalogue: deps.catalogue, cacheLife }));
  }
  if (rest !== '') return 'Say it like this: /usage, or /usage why';
  const { usages } = deps.store;
  const here = sumUp(await priceCalls(await usages.list({ sessionId: session.id }), deps.catalogue));
  const since = startOfDay(deps.clock.now());
  const today = sumUp(await priceCalls(await usages.list({ since }), deps.catalogue));
  const advice = adviseOnCosts({
    unpriced: [...here.unpriced, ...today.unpriced],
    uncounted: Math.max(here.uncounted, today.uncounted),
  });
  const lines = [...describeSum('This session', here), ...describeSum('Today, all sessions', today), advice ?? []];
  return { type: 'listing', reply: lines.flat().join('\n') };
}

function describeSum(what: string, sum: UsageSum): readonly string[] {
  if (sum.calls === 0) return [`${what}: no model was asked yet`];
  const tokens = {
    fresh: sum.fresh,
    cached: sum.cacheRead,
    written: sum.cacheWrite,
    output: sum.output,
  };
  const counts = Object.entries(tokens).map(([name, count]) => `${formatTokens(count)} ${name}`);
  return [
    `${what}: ${formatTotalCost(sum)}`,
    `  ${countCalls(sum.calls)}, ${formatCacheShare(sum)} of what was read came from the cache`,
    `  ${counts.join(', ')}`,
  ];
}
