import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PersonId } from '../../../src/base/ids.ts';
import type { StandingRule } from '../../../src/model/approvals.ts';
import { FileStandingRules } from '../../../src/store/home/standing-rules.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

function rule(covers: string): Omit<StandingRule, 'id'> {
  return { covers, shown: covers, by: 'ann' as PersonId, since: 1 };
}

test('a rule that is revoked while the gateway writes another one down stays revoked, and the other one stays', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'standing-rules.json');
  const [gateway, command] = [new FileStandingRules(file), new FileStandingRules(file)];
  const revoked = [await gateway.add(rule('git push')), await gateway.add(rule('npm publish'))];
  const added = ['make', 'npm test', 'git fetch'];

  const removals = await Promise.all([
    ...revoked.map(({ id }) => command.remove(id)),
    ...added.map((covers) => gateway.add(rule(covers)).then(() => true)),
    command.remove('unknown'),
  ]);

  assert.deepEqual(removals, [true, true, true, true, true, false]);
  assert.deepEqual(
    gateway
      .list()
      .map(({ covers }) => covers)
      .toSorted(),
    added.toSorted(),
  );
  assert.deepEqual(command.list(), gateway.list());
  assert.deepEqual(await readdir(folder.path), ['standing-rules.json']);
});
