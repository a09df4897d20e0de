import assert from 'node:assert/strict';
import type { LoggedEntry, TurnEntry } from '../../src/model/turn.ts';
import type { Played } from './random-player.ts';

/** Every turn is settled once and answered once; every call has one outcome, and everything said has one place. */
export function judgeEnds({ log, shown }: Played): void {
  const turns = pick(log, 'turn.admitted').map(({ turnId }) => turnId);
  assert.deepEqual(
    sorted(pick(log, 'turn.settled').map(({ turnId }) => turnId)),
    sorted(turns),
    'turns and their ends',
  );
  judgeCalls(log);
  judgeSaidOnce(log);
  judgeHeard(log);
  const replies = shown.filter(({ kind }) => kind !== 'question');
  assert.equal(
    new Set(replies.map(({ id }) => id)).size,
    turns.length,
    `${replies.length} replies to ${turns.length} turns`,
  );
  assert.deepEqual(
    replies.filter(({ copy }) => copy === 'repeat'),
    [],
  );
}

function judgeCalls(log: readonly LoggedEntry[]): void {
  const calls = pick(log, 'step.finished').flatMap(({ entry }) => entry.message.calls.map(({ id }) => id));
  assert.equal(new Set(calls).size, calls.length, 'the id of a call comes twice');
  assert.deepEqual(
    sorted(pick(log, 'tool.settled').map(({ entry }) => entry.callId)),
    sorted(calls),
    'calls and outcomes',
  );
  const started = pick(log, 'tool.called').map(({ entry }) => entry.call.id);
  assert.equal(new Set(started).size, started.length, 'a call was started twice');
  const settledAt = new Map(pick(log, 'tool.settled').map(({ seq, entry }) => [entry.callId, seq]));
  for (const { seq, entry } of pick(log, 'tool.called')) {
    assert.ok((settledAt.get(entry.call.id) ?? 0) > seq, 'a call was settled before it started');
  }
}

function judgeSaidOnce(log: readonly LoggedEntry[]): void {
  const said = [...pick(log, 'turn.admitted'), ...pick(log, 'turn.steered')].flatMap(
    ({ entry }) => JSON.stringify(entry.parts).match(/\[said \d+\]/g) ?? [],
  );
  const expected = said.map((_, index) => `[said ${index + 1}]`);
  assert.deepEqual(sorted(said), sorted(expected), 'something said was lost, or taken in twice');
}

/** What was said to a turn is carried by one of its requests, unless somebody stopped it. */
function judgeHeard(log: readonly LoggedEntry[]): void {
  const stopped = new Set(
    pick(log, 'turn.settled').flatMap(({ turnId, entry }) => (entry.result.type === 'interrupted' ? [turnId] : [])),
  );
  for (const { seq, turnId } of pick(log, 'turn.steered')) {
    const isHeard = pick(log, 'step.asked').some((asked) => asked.turnId === turnId && asked.seq > seq);
    assert.ok(isHeard || stopped.has(turnId), `nobody heard what was said in entry ${seq}`);
  }
}

type EntryOf<Type extends TurnEntry['type']> = LoggedEntry & {
  readonly entry: Extract<TurnEntry, { readonly type: Type }>;
};

export function pick<Type extends TurnEntry['type']>(
  log: readonly LoggedEntry[],
  type: Type,
): readonly EntryOf<Type>[] {
  return log.filter((logged): logged is EntryOf<Type> => logged.entry.type === type);
}

function sorted(values: readonly string[]): readonly string[] {
  return values.toSorted((left, right) => (left < right ? -1 : 1));
}
