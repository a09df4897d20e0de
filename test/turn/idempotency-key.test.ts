import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { CallId, NodeId, PersonId, SessionId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import { object } from '../../src/model/schema.ts';
import type { Store } from '../../src/model/store.ts';
import type { Tool } from '../../src/model/tool.ts';
import type { AbortCause, TurnRef } from '../../src/model/turn.ts';
import { Conversation } from '../../src/turn/conversation.ts';
import { Recorder } from '../../src/turn/recorder.ts';
import { runTools } from '../../src/turn/run-tools.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const owner = 'owner' as PersonId;
const ignore = (): void => undefined;

type Run = { readonly callId: string; readonly key: string };

function keyedTool(onRun: (run: Run) => void): Tool {
  return {
    name: 'pay',
    toolset: 'test',
    description: 'acts once for each key',
    input: object({}),
    effect: 'keyed',
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: () => ({ type: 'anything' }),
    run: (_input, { callId, idempotencyKey, signal }) => {
      onRun({ callId, key: idempotencyKey });
      signal.throwIfAborted();
      return Promise.resolve({ type: 'done', parts: [textPart('paid')] });
    },
    verify: () => Promise.resolve('unknown'),
  };
}

/** A turn whose last answer calls the tool under these ids. */
async function admitTurn(store: Store, chat: string, ids: readonly string[]): Promise<TurnRef> {
  const address = { platform: 'terminal', account: 'local', chat, thread: '' };
  const session = await store.sessions.at({ address, person: owner, workdir: '/' });
  const turn = { sessionId: session.id, turnId: newId('turn', Date.now()) };
  const calls = ids.map((id) => ({ id: id as CallId, name: 'pay', arguments: '{}' }));
  await store.turns.append(turn, [
    { type: 'turn.admitted', parts: [textPart('pay')], person: owner },
    { type: 'step.finished', message: { role: 'assistant', parts: [], calls }, finish: 'calls', usage: noUsage },
  ]);
  return turn;
}

/** Goes on with a turn as a start of the program does: with nothing but what the store has. */
async function goOn(
  { store, clock }: StoreHouse,
  turn: TurnRef,
  onRun: (run: Run, shutDown: () => void) => void,
): Promise<void> {
  const fence = await takeLease(store, turn.sessionId);
  const conversation = new Conversation(turn.sessionId);
  await conversation.catchUp(store.turns);
  const recorder = new Recorder(turn, {
    store,
    conversation,
    takeLease: () => Promise.resolve(fence),
    clock,
    emit: ignore,
    faults: undefined,
  });
  const program = new AbortController();
  const cause: AbortCause = { type: 'shutdown' };
  const tool = keyedTool((run) => onRun(run, () => program.abort(cause)));
  const deps = {
    recorder,
    tools: new Map([[tool.name, tool]]),
    blobs: store.blobs,
    approvals: { ask: () => Promise.reject(new Error('nobody is asked')) },
    questions: { ask: () => Promise.reject(new Error('nobody is asked')) },
    place: { sessionId: turn.sessionId, workdir: '/' },
    person: owner,
    emit: ignore,
  };
  await runTools(deps, program.signal);
}

async function takeLease(
  store: Store,
  sessionId: SessionId,
): Promise<{ readonly lease: string; readonly epoch: number }> {
  const lease = `session:${sessionId}`;
  const grant = await store.leases.acquire(lease, 'nod_one' as NodeId, 60_000);
  assert.ok(grant.type === 'held');
  return { lease, epoch: grant.epoch };
}

test('a keyed call that a shutdown cut off runs again at the next start, under the same key', async () => {
  await using house = await openStoreHouse(sqlite);
  const turn = await admitTurn(house.store, 'one', ['first', 'second']);
  const runs: Run[] = [];

  await goOn(house, turn, (run, shutDown) => {
    runs.push(run);
    shutDown();
  });
  await house.reopen();
  await goOn(house, turn, (run) => runs.push(run));

  const [cutOff, again, other] = runs;
  assert.deepEqual(
    runs.map(({ callId }) => callId),
    ['first', 'first', 'second'],
  );
  assert.equal(again?.key, cutOff?.key);
  assert.notEqual(other?.key, again?.key);
});

test('two calls never share a key, not even under the same id in turns of two sessions', async () => {
  await using house = await openStoreHouse(sqlite);
  const keys: string[] = [];

  for (const chat of ['one', 'two']) {
    const turn = await admitTurn(house.store, chat, ['call_1', 'call_2']);
    await goOn(house, turn, ({ key }) => keys.push(key));
  }

  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 4);
});
