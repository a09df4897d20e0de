import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { CallId, PersonId } from '../../src/base/ids.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const person = 'owner' as PersonId;
const callId = 'c1' as CallId;

function consent(digest: string): readonly TurnEntry[] {
  return [
    { type: 'approval.asked', callId, digest, question: digest },
    { type: 'approval.answered', callId, digest, by: person, verdict: 'approved' },
  ];
}

test('the latest questions and answers of all sessions are found, in the order in which they were written', async () => {
  await using house = await openStoreHouse(sqlite);
  const { sessions, turns } = house.store;
  const admitted: TurnEntry = { type: 'turn.admitted', parts: [{ type: 'text', text: '"type":"approval.' }], person };
  for (const chat of ['a', 'b', 'c']) {
    const address = { platform: 'terminal', account: 'local', chat, thread: '' };
    const session = await sessions.at({ address, person, workdir: '/' });
    const turn = { sessionId: session.id, turnId: newId('turn', 0) };
    await turns.append(turn, [admitted, ...consent(chat)]);
  }

  const found = await turns.consents(4);

  assert.deepEqual(
    found.map(({ entry }) => [entry.type, 'digest' in entry && entry.digest]),
    [
      ['approval.asked', 'b'],
      ['approval.answered', 'b'],
      ['approval.asked', 'c'],
      ['approval.answered', 'c'],
    ],
  );
});
