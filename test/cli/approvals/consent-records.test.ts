import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/base/ids.ts';
import type { CallId, PersonId } from '../../../src/base/ids.ts';
import { readConsents } from '../../../src/cli/approvals/consent-records.ts';
import type { TurnEntry } from '../../../src/model/turn.ts';
import { openStoreHouse } from '../../support/store-house.ts';
import * as sqlite from '../../support/store-sqlite-opener.ts';

const person = 'owner' as PersonId;

test('what was asked stands in the order of the times that are shown: when it was answered, or asked where it is open', async () => {
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;
  const begin = async (chat: string): Promise<(entry: TurnEntry) => Promise<void>> => {
    const address = { platform: 'terminal', account: 'local', chat, thread: '' };
    const { id: sessionId } = await store.sessions.at({ address, person, workdir: '/' });
    const turn = { sessionId, turnId: newId('turn', clock.now()) };
    return async (entry) => {
      clock.advance(1000);
      await store.turns.append(turn, [entry]);
    };
  };
  const [one, two, three] = [await begin('1'), await begin('2'), await begin('3')];
  const about = { callId: 'call' as CallId, digest: 'digest' };
  const ask = (question: string): TurnEntry => ({ type: 'approval.asked', ...about, question });
  const answer: TurnEntry = { type: 'approval.answered', ...about, verdict: 'approved', by: person };

  await one(ask('answered last'));
  await two(ask('answered first'));
  await two(answer);
  await three(ask('open'));
  await one(answer);

  const records = await readConsents(10, store.turns);
  assert.deepEqual(
    records.map(({ question }) => question),
    ['answered first', 'open', 'answered last'],
  );
  assert.deepEqual((await readConsents(3, store.turns)).slice(-1), records.slice(-1));
});
