import type { CacheMiss, Usage } from '../model/provider.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';
import type { PrefixChange } from '../model/turn.ts';
import { describeFailure } from '../turn/describe-failure.ts';
import { usageOf } from './logged-calls.ts';
import type { LoggedCall } from './logged-calls.ts';
import { describeServerReason } from './server-reasons.ts';
import { promptOf } from './usage-report.ts';

/** Tokens that were read anew although a server could have had them ready, and why. */
export interface Miss {
  readonly kind: string;
  readonly tokens: number;
  readonly say: (tokens: string) => string;
}

const minuteMs = 60_000;
const lifeMs: Readonly<Record<CacheLife, number>> = { '5m': 5 * minuteMs, '1h': 60 * minuteMs };

// Servers keep whole blocks, and nothing that is shorter than this: what is below it is no miss.
const smallestCached = 1024;

/**
 * What a call read anew that was in the prompt before it, with the reason for it, ours and the server's; undefined where
 * there is none. Pure.
 */
export function describeMiss(
  call: LoggedCall,
  usage: Usage,
  earlier: readonly LoggedCall[],
  cacheLife: CacheLife,
): Miss | undefined {
  const miss = explainMiss(call, usage, earlier, cacheLife);
  const reason = call.end.type === 'answered' ? call.end.cacheMiss : undefined;
  return miss && reason ? withServersWord(miss, reason) : miss;
}

function withServersWord(miss: Miss, reason: CacheMiss): Miss {
  const say = (count: string): string => `${miss.say(count)} ${describeServerReason(reason)}`;
  return { ...miss, kind: `${miss.kind} ${reason.reason}`, say };
}

function explainMiss(
  call: LoggedCall,
  usage: Usage,
  earlier: readonly LoggedCall[],
  cacheLife: CacheLife,
): Miss | undefined {
  const anew = usage.fresh + usage.cacheWrite;
  if (call.change?.cause === 'first') return describeFirst(call, anew, earlier);
  const before = earlier.findLast((other) => other.runtime === call.runtime && readTokens(other) > 0);
  if (before === undefined) return undefined;
  const tokens = Math.min(anew, Math.max(0, readTokens(before) - usage.cacheRead));
  if (call.change !== undefined) return tokens > 0 ? describeChange(call, call.change, tokens) : undefined;
  if (tokens < smallestCached) return undefined;
  const pauseMs = call.at - before.at;
  if (pauseMs > lifeOf(call.runtime, before.cacheLife ?? cacheLife)) {
    const pause = describePause(pauseMs);
    const say = (count: string): string =>
      `The server's cache had run out after a pause of ${pause}: ${call.runtime} read ${count} tokens anew.`;
    return { kind: `pause ${call.at}`, tokens, say };
  }
  const own = earlier.filter(({ runtime }) => runtime === call.runtime);
  return describeUnexplained(call, tokens, [...own.map(usageOf), usage]);
}

function readTokens(call: LoggedCall): number {
  const usage = usageOf(call);
  return usage === undefined || call.purpose !== 'answer' ? 0 : promptOf(usage);
}

/** A fallback begins with an empty cache, and that is part of what it costs. */
function describeFirst(call: LoggedCall, tokens: number, earlier: readonly LoggedCall[]): Miss {
  const failed = earlier.findLast(({ turnId, runtime }) => turnId === call.turnId && runtime !== call.runtime);
  const because =
    failed?.end.type === 'failed' ? `, after ${failed.runtime} failed (${describeFailure(failed.end.failure)})` : '';
  const say = (count: string): string =>
    `It was the first request to ${call.runtime}${because}: nothing of its ${count} tokens could be in a cache.`;
  return { kind: `first ${call.runtime}`, tokens, say };
}

function describeChange(call: LoggedCall, { detail, byte }: PrefixChange, tokens: number): Miss {
  const where = byte.toLocaleString('en-US');
  const say = (count: string): string =>
    `${capitalise(detail)}: ${call.runtime} read ${count} tokens anew (the first byte that changed is ${where}).`;
  return { kind: `change ${call.at}`, tokens, say };
}

function describeUnexplained(
  { runtime, end }: LoggedCall,
  tokens: number,
  usages: readonly (Usage | undefined)[],
): Miss {
  const hasCache = usages.some((usage) => usage !== undefined && usage.cacheRead > 0);
  const silence = end.type === 'answered' && end.cacheMiss !== undefined ? '' : ', and does not say why';
  const say = (count: string): string =>
    hasCache
      ? `${runtime} did not have ${count} unchanged tokens in its cache${silence}.`
      : `${runtime} read ${count} unchanged tokens anew: it has not reported a cache in this session.`;
  return { kind: `unexplained ${runtime}`, tokens, say };
}

/** Only who is sent markers can be told the time; the others keep what they read for some minutes. */
function lifeOf(runtime: RuntimeName, cacheLife: CacheLife): number {
  return lifeMs[/^(?:anthropic:|custom:|nous:|openrouter:~?anthropic\/)/.test(runtime) ? cacheLife : '5m'];
}

function describePause(ms: number): string {
  const minutes = Math.floor(ms / minuteMs);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
