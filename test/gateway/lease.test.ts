import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeId } from '../../src/base/ids.ts';
import type { FaultPoint, Faults } from '../../src/model/faults.ts';
import type { LeaseGrant } from '../../src/model/store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { delays, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const beatMs = 5_000;
const elsewhere = 'nod_elsewhere' as NodeId;

test('the lease of a session is taken in the write that claims a turn, and given back in the one that settles it', async () => {
  const seen: LeaseGrant[] = [];
  const points: ReadonlySet<FaultPoint> = new Set(['admitted', 'claimed', 'turn-settled']);
  const faults: Faults = {
    async reach(point) {
      if (!points.has(point)) return;
      const lease = `session:${(await house.session()).id}`;
      const grant = await house.app.store.leases.acquire(lease, elsewhere, beatMs);
      seen.push(grant);
      if (grant.type === 'held') await house.app.store.leases.release(lease, elsewhere);
    },
  };
  await using house: TestHouse = await openTestHouse({ script: [says('Done.')], faults });

  await house.say('hello');

  assert.deepEqual(
    seen.map(({ type }) => type),
    ['held', 'taken', 'held'],
  );
  const [claimed] = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.claimed' ? [entry.epoch] : []));
  assert.equal(claimed, 2);
});

test('a turn that takes longer than the lease of its session keeps it to the end, and then gives it back', async () => {
  const clock = new ManualClock(Date.now());
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({ script: [delays(gate.promise, says('At last.'))], clock });
  await house.admit('take your time');
  await house.server.whenRequested(1);
  const lease = `session:${(await house.session()).id}`;
  const tryToTake = (): Promise<LeaseGrant> => house.app.store.leases.acquire(lease, elsewhere, beatMs);

  const grants: string[] = [];
  for (let passedMs = 0; passedMs < 60_000; passedMs += beatMs) {
    clock.advance(beatMs);
    // Commits are made in order: behind these the renewal that the clock set off is done.
    for (let count = 0; count < 2; count += 1) grants.push((await tryToTake()).type);
  }
  gate.resolve();
  await house.whenIdle();

  assert.deepEqual(new Set(grants), new Set(['taken']));
  assert.equal(house.shown.at(-1)?.text, 'At last.');
  assert.equal((await tryToTake()).type, 'held');
});

test('a session that is served elsewhere is not served here: its message is put off, as /status says, and answered once it is free', async () => {
  await using house = await openTestHouse({ script: [says('Here.'), says('And here.')] });
  await house.say('hello');
  const lease = `session:${(await house.session()).id}`;
  await house.app.store.leases.acquire(lease, elsewhere, 60_000);

  const putOff = await house.say('and now');
  const status = await house.admit('/status');
  const askedMeanwhile = house.server.requests.length;
  await house.app.store.leases.release(lease, elsewhere);
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.match(putOff, /^This turn was put off: session:\S+ is served by nod_elsewhere\./);
  assert.match(
    status.type === 'commanded' ? status.reply : '',
    /^state {4}idle; 1 turn was put off: it goes on with your next message, or at the next start$/m,
  );
  assert.equal(askedMeanwhile, 1);
  assert.equal(house.shown.at(-1)?.text, 'And here.');
});
