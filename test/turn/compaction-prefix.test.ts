import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { callsTools, failsWith, says } from '../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../support/model-script.ts';
import { answered, compactionsOf, openLongHouse, prose } from './compaction-setup.ts';

const turn = fc.record({
  text: fc.constantFrom('hello', 'naïve 日本語', '</user-message>', 'half \ud83d pair'),
  calls: fc.nat(3),
  words: fc.constantFrom(5, 200, 500),
  ending: fc.constantFrom('replied', 'replied', 'replied', 'too-long', 'empty'),
  before: fc.constantFrom('nothing', 'nothing', 'nothing', 'compact', 'undo', 'restart'),
});

type RandomTurn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

function stepsOf({ calls, words, ending }: RandomTurn): readonly ModelStep[] {
  const write = (index: number) => ({
    name: 'write_file',
    args: { path: `f${index}.txt`, content: prose('w', words) },
  });
  const steps = calls === 0 ? [] : [callsTools(Array.from({ length: calls }, (_, index) => write(index)))];
  if (ending === 'too-long') steps.push(failsWith(413));
  if (ending === 'empty') steps.push(says(''));
  return [...steps, says(prose('reply', words))];
}

const commands = { compact: '/compact', undo: '/compact undo' } as const;

/** A request up to where its newest message ends: the beginning of every later one, unless something is declared. */
function prefixOf({ body }: SeenRequest): string {
  return body.slice(0, body.lastIndexOf(']'));
}

test('over random conversations with compactions, undos and restarts the prefix changes only where the log says so, and why', async () => {
  let shortened = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 16, maxLength: 16 }), async (turns) => {
      const script: ModelStep[] = [];
      await using long = await openLongHouse({ window: 7000, answer: () => script.shift() ?? says('Well.') });
      for (const each of turns) {
        if (each.before === 'restart') await long.house.restart();
        if (each.before === 'compact' || each.before === 'undo') await long.house.say(commands[each.before]);
        script.splice(0, script.length, ...stepsOf(each));
        await long.house.say(each.text);
      }

      const requests = answered(long.server);
      const changes = (await long.house.log()).flatMap(({ entry }) =>
        entry.type === 'step.asked' ? [entry.change?.cause] : [],
      );
      shortened += (await compactionsOf(long.house)).length;
      assert.equal(changes.length, requests.length);
      for (const [index, cause] of changes.entries()) {
        const [before, request] = [requests[index - 1], requests[index]];
        if (before === undefined || request === undefined) continue;
        assert.equal(request.body.startsWith(prefixOf(before)), cause === undefined, `request ${index}: ${cause}`);
        assert.ok(cause === undefined || cause === 'compacted' || cause === 'restored', `request ${index}: ${cause}`);
      }
    }),
    { numRuns: 5, seed: 20_260_315, endOnFailure: true },
  );
  assert.ok(shortened > 10, `${shortened} compactions`);
});
