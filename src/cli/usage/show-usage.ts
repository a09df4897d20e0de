import type { JsonObject } from '../../base/json.ts';
import { countUnknown, dayOf, groupCalls, priceCalls, sumUp } from '../../gateway/usage-report.ts';
import type { PricedCall, UsageSum } from '../../gateway/usage-report.ts';
import { microUsdPerUsd } from '../../model/money.ts';
import type { Sessions } from '../../model/store.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { oneLine } from '../render/one-line.ts';
import { chooseStyle } from '../render/style.ts';
import { readGrouping, readSince } from './read-period.ts';
import type { Grouping } from './read-period.ts';
import { renderUsage } from './render-usage.ts';

/** What models took in a time, by day, model or session, and what it cost. */
export const showUsage: CommandFunction = async (args, deps) => {
  const { stdout, stderr, env } = deps.process;
  const by = readGrouping(args);
  const since = readSince(args, Date.now());
  await using app = await deps.openApp({ purpose: 'look' });
  const calls = await priceCalls(await app.store.usages.list({ since }), app.catalogue);
  const rows = inOrder(groupCalls(calls, namers[by]), by);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify(describe({ since, by, rows, total: sumUp(calls) }))}\n`);
  } else if (calls.length === 0) {
    stderr.write(`No model was asked since ${dayOf(since)}.${hintAtEarlier(args)}\n`);
  } else {
    const titled = by === 'session' ? await withTitles(rows, app.store.sessions) : rows;
    const style = chooseStyle({ isTerminal: stdout.isTTY, env });
    const width = stdout.isTTY ? stdout.columns : Infinity;
    stdout.write(renderUsage({ by, rows: titled, total: sumUp(calls) }, style, width));
  }
  return exitCodes.done;
};

type NamedSum = readonly [string, UsageSum];

const deleted = '(deleted)';

const namers: Readonly<Record<Grouping, (call: PricedCall) => string>> = {
  day: ({ at }) => dayOf(at),
  model: ({ runtime }) => runtime,
  session: ({ sessionId }) => sessionId ?? deleted,
};

/** Days as they came; models and sessions with the most expensive first, and what nobody can price before all others. */
function inOrder(groups: ReadonlyMap<string, UsageSum>, by: Grouping): readonly NamedSum[] {
  const rows = [...groups];
  return by === 'day' ? rows : rows.toSorted(([, left], [, right]) => compareCosts(right, left));
}

function compareCosts(left: UsageSum, right: UsageSum): number {
  const isUnknown = [left, right].map((sum) => Number(countUnknown(sum) > 0));
  const byKnowledge = (isUnknown[0] ?? 0) - (isUnknown[1] ?? 0);
  return byKnowledge || left.knownCost - right.knownCost || left.output - right.output;
}

async function withTitles(
  rows: readonly NamedSum[],
  sessions: Pick<Sessions, 'matching'>,
): Promise<readonly NamedSum[]> {
  return await Promise.all(
    rows.map(async ([id, sum]): Promise<NamedSum> => {
      const [session] = id === deleted ? [] : await sessions.matching(id);
      return [`${id} ${oneLine(session?.title ?? '', 30)}`.trim(), sum];
    }),
  );
}

function hintAtEarlier(args: Arguments): string {
  return args.has('days') || args.has('since') ? '' : ' --days or --since looks further back.';
}

interface Report {
  readonly since: number;
  readonly by: Grouping;
  readonly rows: readonly NamedSum[];
  readonly total: UsageSum;
}

function describe({ since, by, rows, total }: Report): JsonObject {
  return {
    ok: true,
    since: new Date(since).toISOString(),
    rows: rows.map(([name, sum]) => ({ [by]: name, ...describeSum(sum) })),
    total: describeSum(total),
  };
}

/** For programs: `usd` is null where it is not known, and `knownUsd` is what is known of it. */
function describeSum(sum: UsageSum): JsonObject {
  const { knownCost, unpriced, uncounted, ...counts } = sum;
  const knownUsd = knownCost / microUsdPerUsd;
  const usd = countUnknown(sum) > 0 ? null : knownUsd;
  return { ...counts, usd, knownUsd, unpricedCalls: unpriced.length, uncountedCalls: uncounted };
}
