import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultPoints } from '../../src/model/faults.ts';
import type { FaultPoint, Faults } from '../../src/model/faults.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

/** One turn that passes everything there is to pass: it is admitted, asks for consent, runs a tool and replies. */
async function openHouse(faults?: Faults): Promise<TestHouse> {
  const script = [
    callsTool('terminal', { command: 'echo ran >> ledger' }, { text: 'Let me see.', id: 'c1' }),
    says('All done.'),
  ];
  return await openTestHouse({ script, ...(faults === undefined ? {} : { faults }) });
}

/** All that can be seen of the turn from outside. */
async function describeOutside(house: TestHouse): Promise<unknown> {
  const here = (text: string): string => text.replaceAll(house.workdir, '/work');
  return {
    log: await house.logTypes(),
    shown: house.shown.map(({ kind, text, copy }) => [kind, here(text), copy]),
    said: house.server.requests.map(({ json }) => here(JSON.stringify(json?.['messages']))),
    ledger: await readFile(join(house.workdir, 'ledger'), 'utf8'),
  };
}

test('every fault point is reached by one turn, in the order in which they are declared', async () => {
  const reached = new Set<FaultPoint>();
  await using house = await openHouse({ reach: (point) => Promise.resolve(void reached.add(point)) });

  await house.say('run it');

  assert.deepEqual([...reached], [...faultPoints]);
});

test('a turn is the same with fault points that do nothing as without any', async () => {
  await using watched = await openHouse({ reach: () => Promise.resolve() });
  await using plain = await openHouse();

  await watched.say('run it');
  await plain.say('run it');

  assert.deepEqual(await describeOutside(watched), await describeOutside(plain));
});

for (const point of faultPoints) {
  test(`nothing goes on behind the point ${point} while a fault holds it there`, async () => {
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const reach: Faults['reach'] = async (reached) => {
      if (reached !== point) return;
      held.resolve();
      await release.promise;
    };
    await using house = await openHouse({ reach });

    const said = house.say('run it');
    await held.promise;
    const atPoint = await countActs(house);
    // Commits are made in order: an act that did not wait would be in the log by the time that these are.
    for (let count = 0; count < 3; count += 1) await house.session();
    const later = await countActs(house);
    release.resolve();

    assert.deepEqual(later, atPoint);
    assert.equal(await said, 'All done.');
  });
}

async function countActs(house: TestHouse): Promise<unknown> {
  const ledger = await readFile(join(house.workdir, 'ledger'), 'utf8').catch(() => '');
  return { log: (await house.log()).length, requests: house.server.requests.length, ledger, shown: house.shown.length };
}
