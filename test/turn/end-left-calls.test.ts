import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { CallId, NodeId, PersonId } from '../../src/base/ids.ts';
import { outcomeToText, textPart } from '../../src/model/message.ts';
import type { ToolOutcome } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import { object } from '../../src/model/schema.ts';
import type { Store } from '../../src/model/store.ts';
import type { Tool } from '../../src/model/tool.ts';
import type { TurnRef, TurnResult } from '../../src/model/turn.ts';
import { Conversation } from '../../src/turn/conversation.ts';
import { endLeftCalls } from '../../src/turn/end-left-calls.ts';
import { Recorder } from '../../src/turn/recorder.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const owner = 'owner' as PersonId;
const ignore = (): void => undefined;
const nobody = (): Promise<never> => Promise.reject(new Error('nobody is asked'));

/** One that never says anything, and knows only that it was told to end. */
const silent: Tool = {
  name: 'wait',
  toolset: 'test',
  description: 'waits',
  input: object({}),
  effect: 'unsafe',
  assess: () => Promise.resolve({ type: 'safe' }),
  footprint: () => ({ type: 'anything' }),
  run: nobody,
  verify: () => Promise.resolve('unknown'),
  recover: (_input, { signal }): Promise<ToolOutcome> =>
    Promise.resolve(signal.aborted ? { type: 'interrupted' } : { type: 'done', parts: [] }),
};

/** A turn in which the program ended while the call was at work. */
async function leaveCall(store: Store): Promise<TurnRef> {
  const address = { platform: 'terminal', account: 'local', chat: 'one', thread: '' };
  const { id: sessionId } = await store.sessions.at({ address, person: owner, workdir: '/' });
  const turn = { sessionId, turnId: newId('turn', Date.now()) };
  const call = { id: 'call_1' as CallId, name: 'wait', arguments: '{}' };
  const message = { role: 'assistant', parts: [], calls: [call] } as const;
  await store.turns.append(turn, [
    { type: 'turn.admitted', parts: [textPart('wait')], person: owner },
    { type: 'step.finished', message, finish: 'calls', usage: noUsage },
    { type: 'tool.called', call },
  ]);
  return turn;
}

async function putAside(turn: TurnRef, { store, clock }: StoreHouse): Promise<TurnResult> {
  const { sessionId } = turn;
  const conversation = new Conversation(sessionId);
  await conversation.catchUp(store.turns);
  const lease = `session:${sessionId}`;
  const grant = await store.leases.acquire(lease, 'nod_one' as NodeId, 60_000);
  assert.ok(grant.type === 'held');
  const takeLease = () => Promise.resolve({ lease, epoch: grant.epoch });
  const recorder = new Recorder(turn, { store, conversation, takeLease, clock, emit: ignore, faults: undefined });
  const deps = {
    recorder,
    tools: new Map([[silent.name, silent]]),
    blobs: store.blobs,
    approvals: { ask: nobody },
    questions: { ask: nobody },
    place: { sessionId, workdir: '/' },
    person: owner,
    emit: ignore,
  };
  return await endLeftCalls({ type: 'parked', reason: 'It ended twice' }, deps, new AbortController().signal);
}

test('what is ended without a word when its turn is put aside was not stopped by the user, to the model either', async () => {
  await using house = await openStoreHouse(sqlite);
  const turn = await leaveCall(house.store);

  const result = await putAside(turn, house);

  const log = await house.store.turns.after(turn.sessionId, 0);
  const outcomes = log.flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome] : []));
  assert.deepEqual(outcomes, [{ type: 'interrupted', ended: 'put-aside' }]);
  assert.deepEqual(outcomes.map(outcomeToText), [
    'INTERRUPTED: the program ended this call when it put the turn aside; it may have run in part.',
  ]);
  assert.match(result.type === 'parked' ? result.reason : '', /^It ended twice\. .*wait.* still ran and was ended$/);
});
