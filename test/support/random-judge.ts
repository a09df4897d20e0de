import assert from 'node:assert/strict';
import type { ApiMode } from '../../src/model/runtime.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { LoggedEntry, PrefixChange, TurnEntry } from '../../src/model/turn.ts';
import { promptText } from '../../src/turn/asked-prefixes.ts';
import type { Played, SentRequest } from './random-player.ts';
import { judgeEnds, pick } from './random-judge-ends.ts';
import { judgeStarts } from './random-judge-starts.ts';
import type { Setup } from './random-plan.ts';
import { isExtended, judgeRequest } from './wire-judge.ts';
import type { WirePrefix } from './wire-judge-parts.ts';

/** Asserts everything that is true of any conversation, whatever happens in it. */
export function judgeConversation(played: Played): void {
  assert.deepEqual(played.problems, []);
  judgeRequests(played);
  judgeStarts(played);
  judgeEnds(played);
}

type Asked = Extract<TurnEntry, { readonly type: 'step.asked' }>;
type AnyAsked = LoggedEntry & {
  readonly entry: Extract<TurnEntry, { readonly type: 'step.asked' | 'compaction.asked' }>;
};

function isAsked(logged: LoggedEntry): logged is AnyAsked {
  return logged.entry.type === 'step.asked' || logged.entry.type === 'compaction.asked';
}

/** A request to a runtime, against which the next one is held. */
interface LastSent {
  readonly request: SentRequest;
  readonly prefix: WirePrefix;
}

function judgeRequests({ log, sent, plan: { setup } }: Played): void {
  const bySeq = new Map(sent.map((request) => [request.seq, request]));
  assert.equal(bySeq.size, sent.length, 'two requests left after one record');
  const ledger = new Ledger();
  for (const logged of log) {
    const request = bySeq.get(logged.seq);
    if (!isAsked(logged)) {
      assert.equal(request, undefined, 'a request that no record announced');
      continue;
    }
    const { entry } = logged;
    if (request === undefined) assertNeverArrived(logged, log, setup);
    const runtime = setup.runtimes[request?.place ?? -1];
    if (runtime && request) assert.equal(entry.runtime, nameRuntime(runtime.vendor, runtime.model));
    const prefix = runtime && request && judgeAt(runtime.apiMode, request, logged);
    if (entry.type === 'compaction.asked') {
      if (request) assert.equal((JSON.parse(request.body) as Record<string, unknown>)['tools'], undefined);
      continue;
    }
    ledger.announce(entry, logged.seq);
    if (prefix && request) ledger.compare(entry, { request, prefix });
    if (request) judgeSaid(request, logged, log);
  }
}

function judgeAt(apiMode: ApiMode, { body }: SentRequest, { seq }: LoggedEntry): WirePrefix {
  try {
    return judgeRequest(apiMode, body);
  } catch (thrown) {
    throw new Error(`the ${apiMode} request after entry ${seq} is not valid: ${body.slice(0, 20_000)}`, {
      cause: thrown,
    });
  }
}

/** A record without a request: somebody ended the turn right then, or nobody listens at that address. */
function assertNeverArrived({ seq, turnId, entry }: AnyAsked, log: readonly LoggedEntry[], { runtimes }: Setup): void {
  const next = log.find(
    (other) => other.turnId === turnId && other.seq > seq && other.entry.type !== 'turn.steered',
  )?.entry;
  const isEnded =
    next?.type === 'turn.released' || (next?.type === 'turn.settled' && next.result.type === 'interrupted');
  const asked = runtimes.find(({ vendor, model }) => nameRuntime(vendor, model) === entry.runtime);
  assert.ok(isEnded || asked?.state === 'down', `entry ${seq} announced a request that never came; then ${next?.type}`);
}

/** Holds what the log says about each request against the bytes that were sent. */
class Ledger {
  readonly #last = new Map<string, LastSent>();
  readonly #unsent = new Map<string, string[]>();
  readonly #known = new Set<string>();

  /** Also of what never arrived: what is said of the next request is said in view of it. */
  announce({ runtime, change }: Asked, seq: number): void {
    assert.equal(change?.cause === 'first', !this.#known.has(runtime), `entry ${seq}: first`);
    assert.notEqual(change?.cause, 'unexplained', `entry ${seq}`);
    this.#known.add(runtime);
    this.#unsent.set(runtime, [...(this.#unsent.get(runtime) ?? []), change?.cause ?? '']);
  }

  compare({ runtime, change }: Asked, now: LastSent): void {
    const last = this.#last.get(runtime);
    const causes = this.#unsent.get(runtime) ?? [];
    this.#last.set(runtime, now);
    this.#unsent.delete(runtime);
    if (last === undefined) return;
    const isSame = isExtended(last.prefix, now.prefix);
    const declared = causes.filter((cause) => !['', 'effort', 'tool-choice'].includes(cause));
    const where = `${runtime}, entry ${now.request.seq} (${causes.join()})`;
    if (!isSame)
      assert.notEqual(declared.length, 0, `${where}: the prefix changed without a word: ${firstChange(last, now)}`);
    // Thoughts that this server never saw are forgotten too; and of several causes one may undo another.
    const mayBeSame = declared.length !== 1 || declared[0] === 'reasoning';
    if (isSame && !mayBeSame) assert.fail(`${where}: the prefix is the same`);
    if (change && !isSame && causes.length === 1) assertByte(change, firstByte(last, now), where);
  }
}

/** Of a prompt the first changed byte may be named too early, never too late; of messages, never inside the prompt. */
function assertByte({ cause, byte }: PrefixChange, inPrompt: number, where: string): void {
  assert.ok(cause === 'prompt' ? byte <= inPrompt : byte >= inPrompt, `${where}: byte ${byte}, ${inPrompt} at least`);
}

function firstChange({ prefix: before }: LastSent, { prefix: after }: LastSent): string {
  if (before.head !== after.head) return `${before.head}\nbecame\n${after.head}`;
  const place = before.items.findIndex((item, index) => item !== after.items[index]);
  return `item ${place}: ${before.items[place]}\nbecame\n${after.items[place] ?? 'nothing'}`;
}

/** The first byte in which two prompts differ, or where the conversation begins. */
function firstByte({ request: before }: LastSent, { request: after }: LastSent): number {
  const [left, right] = [before, after].map(({ prompt }) => Buffer.from(prompt ? promptText(prompt) : ''));
  if (left === undefined || right === undefined) return 0;
  const byte = right.findIndex((value, index) => value !== left[index]);
  return byte === -1 ? right.length : byte;
}

/**
 * Everything said to a turn or before it is in each of its requests exactly once. Where a summary stands for a part of it,
 * at least the newest words are.
 */
function judgeSaid({ body }: SentRequest, { seq, turnId }: LoggedEntry, log: readonly LoggedEntry[]): void {
  const before = log.filter((other) => other.seq < seq);
  const turns = pick(before, 'turn.admitted').map((admitted) => admitted.turnId);
  const seen = new Set(turns.slice(0, turns.indexOf(turnId) + 1));
  const expected = before.flatMap(({ turnId: id, entry }) => (seen.has(id) ? marksIn(entry) : []));
  const found: readonly string[] = body.match(/\[said \d+\]/g) ?? [];
  const isShortened = pick(before, 'context.compacted').length > pick(before, 'context.restored').length;
  if (isShortened) assert.ok(found.includes(expected.at(-1) ?? ''), `the newest words before entry ${seq}`);
  else assert.deepEqual(found.toSorted(byText), expected.toSorted(byText), `what was said before entry ${seq}`);
}

function marksIn(entry: TurnEntry): readonly string[] {
  const isSaid = entry.type === 'turn.steered' || (entry.type === 'turn.admitted' && entry.purpose === undefined);
  if (!isSaid) return [];
  return JSON.stringify(entry.parts).match(/\[said \d+\]/g) ?? [];
}

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}
