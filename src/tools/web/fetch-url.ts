import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import { askServer } from './ask-server.ts';
import type { WebNetwork, WebRequest } from './ask-server.ts';
import { judgeUrl } from './judge-url.ts';
import type { PrivateException } from './private-exceptions.ts';
import { readBody } from './read-body.ts';
import type { WebBody } from './read-body.ts';

export interface FetchRules {
  readonly network: WebNetwork;
  readonly exceptions: readonly PrivateException[];
  /** Why an address must not be asked for, beyond where it leads; undefined where it may. */
  readonly objection: (url: URL) => string | undefined;
  /** How often another address may be named instead. */
  readonly mostHops: number;
  /** How much of an answer is read. */
  readonly mostBytes: (contentType: string) => number;
  readonly clock: Clock;
}

export interface Fetched extends WebBody {
  readonly type: 'fetched';
  /** Where it was in the end. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
}

export type FetchOutcome = Fetched | { readonly type: 'failed' | 'barred'; readonly reason: string };

const timeLimitMs = 45_000;

/** Fetches what is at an address, wherever it has moved to. Every hop is judged like the first; no cookie is kept. */
export async function fetchUrl(request: WebRequest, rules: FetchRules, signal: AbortSignal): Promise<FetchOutcome> {
  const over = new AbortController();
  const limit = rules.clock.sleep(timeLimitMs, over.signal).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    return await followHops(request, rules, AbortSignal.any([signal, over.signal]));
  } catch (thrown) {
    signal.throwIfAborted();
    const reason = over.signal.aborted ? `did not answer within ${timeLimitMs / 1000} s` : describeError(thrown);
    return { type: 'failed', reason: `${request.url.host}: ${reason}` };
  } finally {
    over.abort();
    await limit;
  }
}

async function followHops(first: WebRequest, rules: FetchRules, signal: AbortSignal): Promise<FetchOutcome> {
  let request = first;
  for (let hop = 0; hop <= rules.mostHops; hop += 1) {
    const objection = rules.objection(request.url);
    if (objection !== undefined) return { type: 'barred', reason: objection };
    using way = await rules.network.openWay(request.url);
    const guard = { resolve: rules.network.resolve, exceptions: rules.exceptions };
    const answer = await askServer(request, way, guard, signal);
    signal.throwIfAborted();
    if (answer.type !== 'answered') return answer;
    const next = rules.mostHops === 0 ? undefined : nextHop(answer.message, request.url);
    if (next === undefined) return await receive(answer.message, request.url, rules);
    answer.message.destroy();
    const verdict = judgeUrl(next, rules.exceptions);
    if (verdict.type === 'unfit') return { type: 'failed', reason: `${request.url.host} led on: ${verdict.reason}` };
    if (verdict.type === 'barred') return { ...verdict, reason: `${request.url.host} led on: ${verdict.reason}` };
    request = { ...first, url: verdict.url };
  }
  return { type: 'failed', reason: `${first.url.host} led on more than ${rules.mostHops} times` };
}

/** Where an answer sends us, as it was written or, where it is relative, made whole; undefined where it stays. */
function nextHop({ statusCode = 0, headers }: IncomingMessage, from: URL): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  const { location } = headers;
  // Only what has no scheme is completed: the rest is judged as it was written.
  if (/^[a-z][a-z0-9+.-]*:/i.test(location.trim()) || !URL.canParse(location, from.href)) return location;
  return new URL(location, from).href;
}

async function receive(message: IncomingMessage, url: URL, rules: FetchRules): Promise<Fetched> {
  const contentType = message.headers['content-type'] ?? '';
  const body = await readBody(message, rules.mostBytes(contentType));
  return { type: 'fetched', url, status: message.statusCode ?? 0, contentType, ...body };
}
