import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPoint, Faults } from '../../src/model/faults.ts';
import { callsTool, delays, says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const skip = whyNoSmallDisk();

interface SmallHouse extends AsyncDisposable {
  readonly house: TestHouse;
  readonly disk: SmallDisk;
  /** Resolves when the disk was filled at the point that was asked for, the first time it was reached or a later one. */
  readonly filled: Promise<void>;
}

/** A house whose home is on a disk that can be filled. */
async function openSmallHouse(script: ModelScript, fillAt?: FaultPoint, nth = 1): Promise<SmallHouse> {
  let disk: SmallDisk | undefined;
  let reached = 0;
  const filled = Promise.withResolvers<void>();
  const faults: Faults = {
    async reach(point) {
      if (point !== fillAt) return;
      reached += 1;
      if (reached !== nth) return;
      disk?.fill();
      filled.resolve();
      await filled.promise;
    },
  };
  const house = await openTestHouse({
    script,
    faults,
    prepareHome: (home) => {
      disk = mountSmallDisk(home, 8);
    },
  });
  if (disk === undefined) throw new Error('no disk');
  const mounted = disk;
  return {
    house,
    disk: mounted,
    filled: filled.promise,
    async [Symbol.asyncDispose]() {
      mounted.makeRoom();
      await house.close();
      mounted[Symbol.dispose]();
      await house[Symbol.asyncDispose]();
    },
  };
}

function isWaiting(event: { readonly type: string; readonly text?: string }): boolean {
  return event.type === 'notice' && event.text?.includes('the disk is full') === true;
}

test('on a full disk a turn waits with a line that says so, and goes on when there is room', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using small = await openSmallHouse([
    delays(gate.promise, callsTool('read_file', { path: 'x' })),
    says('Done.'),
  ]);
  const { house, disk } = small;

  await house.admit('go');
  await house.server.whenRequested(1);
  disk.fill();
  const waiting = house.when(isWaiting);
  gate.resolve();
  await waiting;
  disk.makeRoom();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Done.');
});

test('a message that cannot be stored is refused with a line, and the program lives on', { skip }, async () => {
  await using small = await openSmallHouse(() => says('Hello.'));
  const { house, disk } = small;
  await house.say('hi');

  disk.fill();
  await assert.rejects(house.admit('x'.repeat(200_000)), { code: 'disk-full' });
  disk.makeRoom();
  const reply = await house.say('and now?');

  assert.equal(reply, 'Hello.');
});

test('a turn whose first record found no room is claimed when there is some', { skip }, async () => {
  await using small = await openSmallHouse(() => says('Hello.'), 'admitted', 2);
  const { house, disk } = small;
  await house.say('hi');

  const waiting = house.when(isWaiting);
  await house.admit('and now?');
  await waiting;
  disk.makeRoom();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Hello.');
  assert.deepEqual((await house.logTypes()).slice(5), [
    'turn.admitted',
    'turn.claimed',
    'step.asked',
    'step.finished',
    'turn.settled',
  ]);
});

test('a stop while the disk is full ends the turn as soon as there is room', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using small = await openSmallHouse([delays(gate.promise, says('late')), says('Ready.')]);
  const { house, disk } = small;

  await house.admit('go');
  await house.server.whenRequested(1);
  disk.fill();
  const waiting = house.when(isWaiting);
  gate.resolve();
  await waiting;
  await house.admit('/stop');
  disk.makeRoom();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
});

test('a shutdown while the disk is full does not hang', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using small = await openSmallHouse([delays(gate.promise, says('late')), says('There you are.')]);
  const { house, disk } = small;

  await house.admit('go');
  await house.server.whenRequested(1);
  disk.fill();
  const waiting = house.when(isWaiting);
  gate.resolve();
  await waiting;
  await house.close();
  disk.makeRoom();
  await house.open();
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'There you are.');
});

for (const point of ['admitted', 'step-finished', 'reply-sent'] as const) {
  test(
    `a shutdown does not hang on a disk that became full at the point ${point}, and the reply comes at the next start`,
    { skip },
    async () => {
      await using small = await openSmallHouse(() => says('There you are.'), point);
      const { house, disk, filled } = small;

      await house.admit('go');
      await filled;
      await house.close();
      disk.makeRoom();
      await house.open();
      await house.gateway.deliver(house.address);
      house.gateway.resume((await house.session()).id);
      await house.whenIdle();

      assert.equal(house.shown.at(-1)?.text, 'There you are.');
    },
  );
}
