import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Models } from '../../src/agents/models.ts';
import type { ModelsFound } from '../../src/agents/models.ts';
import { checkConfig } from '../../src/model/config.ts';
import { demoRuntime } from '../../src/providers/choose-runtime.ts';

function never(): never {
  return assert.fail('nobody asked for this');
}

test('a search for a model that broke off is not remembered: the next one may succeed', async () => {
  const found: ModelsFound = { type: 'chosen', chain: [demoRuntime()], warnings: [] };
  const answers = [Promise.reject<ModelsFound>(new Error('too many open files')), Promise.resolve(found)];
  const checked = checkConfig({});
  assert.equal(checked.type, 'valid');
  const models = new Models({
    settings: { current: { config: checked.config, user: null } },
    forThisRun: undefined,
    providers: () => Promise.resolve(['demo']),
    find: () => answers.shift() ?? assert.fail('searched a third time'),
    check: never,
    takesEffort: never,
    save: never,
  });

  await assert.rejects(models.find(undefined), /too many open files/);

  assert.equal(await models.find(undefined), found);
  assert.equal(await models.find(undefined), found);
});
