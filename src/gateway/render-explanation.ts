import type { CostedCall, TurnExplanation } from './explain-turn.ts';
import { formatUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import { usageOf } from './logged-calls.ts';
import { countCalls, formatCacheShare, formatTokens, formatTotalCost, promptOf, sumUp } from './usage-report.ts';
import type { UsageSum } from './usage-report.ts';

/** Why the last turn cost what it did, in plain sentences. Pure. */
export function renderExplanation(explanation: TurnExplanation | undefined): string {
  if (explanation === undefined) return 'No model was asked in this session yet.';
  const { calls, reasons, shares } = explanation;
  const sum = sumCalls(calls);
  return [
    `The last turn: ${formatTotalCost(sum)} for ${countCalls(sum.calls)}, ${formatCacheShare(sum)} of what was read came from the cache.`,
    'Where it went, the most expensive first:',
    ...reasons.map(({ text, share }, index) => `${index + 1}. ${share > 0 ? `${formatShare(share)}: ` : ''}${text}`),
    ...(shares === 'estimated' ? ['The shares are estimates: they go by how prices usually relate.'] : []),
    'Its calls:',
    ...calls.map((call, index) => `${index + 1}. ${describeCall(call)}`),
  ].join('\n');
}

/** A call that nobody counted is a call of unknown price. */
function sumCalls(calls: readonly CostedCall[]): UsageSum {
  return sumUp(
    calls.map((call) => ({ ...call, sessionId: undefined, usage: usageOf(call) ?? noUsage, cost: call.cost })),
  );
}

function formatShare(share: number): string {
  return share < 0.01 ? 'under 1 %' : `about ${Math.round(share * 100)} %`;
}

function describeCall(call: CostedCall): string {
  const { at, runtime, purpose, cost } = call;
  const usage = usageOf(call);
  const what = purpose === 'compaction' ? ' (summary)' : '';
  const outcome = { answered: '', failed: ', failed', lost: ', no answer' }[call.end.type];
  const counts =
    usage === undefined
      ? ''
      : `: read ${formatTokens(promptOf(usage))} (${formatCacheShare(usage)} cached), wrote ${formatTokens(usage.output)}`;
  const price = cost === undefined ? 'price unknown' : formatUsd(cost);
  return `${timeOf(at)} ${runtime}${what}${counts}${outcome}, ${price}`;
}

function timeOf(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
