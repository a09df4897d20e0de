import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPoint } from '../../src/model/faults.ts';
import { says } from '../support/model-script.ts';
import { startChild } from '../support/store-child.ts';
import { openWebHouse } from '../support/web-house.ts';
import { isReply, itemTexts } from '../support/web-events.ts';

const points: readonly FaultPoint[] = [
  'admitted',
  'claimed',
  'step-asked',
  'answer-streaming',
  'step-finished',
  'turn-settled',
];

for (const point of points) {
  test(`a kill at ${point} loses nothing and doubles nothing, for who reads on and for who reads anew`, async () => {
    await using house = await openWebHouse({ script: (_request, index) => says(index === 0 ? 'Before.' : 'Answer.') });
    using before = await house.follow('one');
    await house.say('before');
    await before.when(isReply('Before.'));
    const { id: seen = '' } = before.events.findLast(({ event }) => event === 'item') ?? {};
    await house.close();
    await house.keepPort();
    await using gateway = startChild('web-child.ts', house.home, point);
    assert.equal(await gateway.line(), house.origin);

    // Whether the answer to this was lost or not, it is sent again under its id.
    const dying = await house.follow('one', { 'last-event-id': seen });
    await house.say('question', 'one', 'same').catch(() => undefined);
    await dying.ended;
    await gateway.ended();
    await house.open();
    const again = await house.say('question', 'one', 'same');
    const { id: last = seen } = dying.events.findLast(({ event }) => event === 'item') ?? {};
    using resumed = await house.follow('one', { 'last-event-id': last });
    using anew = await house.follow('one');
    await anew.when(isReply('Answer.'));
    await house.say('/status');
    await resumed.when(({ event }) => event === 'said');

    assert.equal(again.json['outcome'], 'ignored');
    assert.deepEqual(itemTexts([...dying.events, ...resumed.events]), ['user: question', 'reply: Answer.']);
    assert.deepEqual(itemTexts(anew.events), ['user: before', 'reply: Before.', 'user: question', 'reply: Answer.']);
  });
}
