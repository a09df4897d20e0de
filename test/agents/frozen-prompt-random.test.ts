import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/base/json.ts';
import type { PrefixChange } from '../../src/model/turn.ts';
import { says } from '../support/model-script.ts';
import type { TestHouse } from '../support/test-house.ts';
import { sayings, trust, writeAllParts, writePart, writtenParts } from '../support/written-files.ts';
import type { WrittenPart } from '../support/written-files.ts';
import { answered, compactionsOf, openLongHouse, prose } from '../turn/compaction-setup.ts';

const turn = fc.record({
  edits: fc.subarray([...writtenParts]),
  before: fc.constantFrom('nothing', 'nothing', 'nothing', 'restart', 'compact', 'settings', 'new'),
});

type Before = typeof turn extends fc.Arbitrary<infer Value extends { before: string }> ? Value['before'] : never;

/** Does what comes before a turn, and says whether the prompt may be read anew by that. */
async function prepare(before: Before, count: number, house: TestHouse): Promise<'refresh' | 'as-it-was'> {
  switch (before) {
    case 'nothing':
      return 'as-it-was';
    case 'restart': {
      const settings = await readFile(join(house.home, 'config.json'));
      await house.restart();
      // A house begins with the settings that it was opened with.
      await writeFile(join(house.home, 'config.json'), settings);
      return 'as-it-was';
    }
    case 'compact': {
      const earlier = (await compactionsOf(house)).length;
      await house.say('/compact');
      return (await compactionsOf(house)).length > earlier ? 'refresh' : 'as-it-was';
    }
    case 'settings': {
      const path = join(house.home, 'config.json');
      const settings = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
      await writeFile(path, JSON.stringify({ ...settings, compression: { threshold: 0.5 + count / 1000 } }));
      return 'refresh';
    }
    case 'new':
      await house.say('/new');
      return 'refresh';
  }
}

async function lastChange(house: TestHouse): Promise<PrefixChange | undefined> {
  const asked = (await house.log()).findLast(({ entry }) => entry.type === 'step.asked')?.entry;
  return asked?.type === 'step.asked' ? asked.change : undefined;
}

test('L6 over random edits of the files each request extends the last one, byte for byte, until the prompt is read anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 12, maxLength: 12 }), async (turns) => {
      await using long = await openLongHouse({ window: 100_000, answer: () => says(prose('word', 200)) });
      const { house, server } = long;
      await trust(house.workdir, house.home);
      await writeAllParts('start', house);
      const written = new Map<WrittenPart, string>(writtenParts.map((part) => [part, 'start']));
      let frozen = new Map(written);
      let prefix = '';
      for (const [count, { edits, before }] of turns.entries()) {
        for (const part of edits) {
          await writePart(part, `word-${count}`, house);
          written.set(part, `word-${count}`);
        }
        const hasRefreshed = (await prepare(before, count, house)) === 'refresh' || count === 0;
        if (hasRefreshed) frozen = new Map(written);

        await house.say(`saying ${count}`);

        const body = answered(server).at(-1)?.body ?? '';
        const change = await lastChange(house);
        if (count > 0) assert.equal(body.startsWith(prefix), change === undefined, `${count}: ${change?.detail}`);
        assert.ok(hasRefreshed || change === undefined, `${count}: ${change?.detail}`);
        for (const [part, word] of frozen) assert.ok(body.includes(sayings[part](word)), `${count}: ${part} ${word}`);
        prefix = body.slice(0, body.lastIndexOf(']'));
      }
    }),
    { numRuns: 4 },
  );
});
