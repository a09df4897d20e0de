import { test } from 'node:test';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';

// Every conversation begins with these bytes, and a changed one costs all of them their cache. Where a change is meant:
// node --test --test-update-snapshots test/tools/tool-list.test.ts
test('the tool list of a first request is what it was, to the byte', async (t) => {
  await using house = await openTestHouse({ script: [says('Hello.')] });

  await house.say('hello');

  t.assert.snapshot(house.server.requests[0]?.json?.['tools']);
});
