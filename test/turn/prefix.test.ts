import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { callsTools, failsWith, says, stallsAfter } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const words = fc.constantFrom(
  'hello',
  'naïve',
  '日本語',
  'a "quoted" word',
  'tab\there',
  'half \ud83d pair',
  '</user-message>',
  '{"json":1}',
);

const toolCall = fc.oneof(
  fc.record({
    name: fc.constant('write_file'),
    args: fc.record({ path: fc.constantFrom('a.txt', 'b.txt'), content: words }),
  }),
  fc.record({
    name: fc.constant('read_file'),
    args: fc.record({ path: fc.constantFrom('a.txt', 'b.txt', 'missing.txt') }),
  }),
  fc.record({
    name: fc.constant('terminal'),
    args: fc.record({ command: fc.constantFrom('echo hi', 'pwd', 'false') }),
  }),
  fc.record({ name: fc.constant('no_such_tool'), args: fc.constant({}) }),
);

const turn = fc.record({
  text: words,
  steps: fc.array(
    fc.record({ text: fc.oneof(fc.constant(''), words), calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }) }),
    { maxLength: 2 },
  ),
  reply: words,
  ending: fc.constantFrom('replied', 'replied', 'replied', 'stopped', 'failed', 'cut', 'empty'),
  restartsAfter: fc.nat(9).map((chance) => chance === 0),
});

type Ending = 'replied' | 'stopped' | 'failed' | 'cut' | 'empty';

/** How the last answer of a turn goes: as it should, or in one of the ways in which it can go wrong. */
function lastSteps(ending: Ending, reply: string): readonly ModelStep[] {
  switch (ending) {
    case 'replied':
      return [says(reply)];
    case 'stopped':
      return [stallsAfter(0, says(reply))];
    case 'failed':
      return [failsWith(401)];
    case 'cut':
      return [says(reply, { finish: 'length' }), says(reply)];
    case 'empty':
      return [says(''), says(reply)];
  }
}

async function say(house: TestHouse, text: string, ending: Ending): Promise<void> {
  if (ending !== 'stopped') {
    await house.say(text);
    return;
  }
  await house.admit(text);
  await house.server.whenStalled();
  await house.admit('/stop');
  await house.whenIdle();
  await house.server.whenDisconnected();
}

/** A request without what closes it: the beginning of every later request of its session. */
function prefixOf(body: string): string {
  const end = body.lastIndexOf(']');
  return body.slice(0, end);
}

test('over random conversations of 20 turns each request is a byte-exact extension of the one before, also after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 20, maxLength: 20 }), async (turns) => {
      const script: ModelStep[] = turns.flatMap(({ steps, reply, ending }) => [
        ...steps.map(({ text, calls }) => callsTools(calls, { text })),
        ...lastSteps(ending, reply),
      ]);
      await using house = await openTestHouse({ script });

      for (const { text, ending, restartsAfter } of turns) {
        await say(house, text, ending);
        if (restartsAfter) await house.restart();
      }

      const bodies = house.server.requests.map(({ body }) => body);
      assert.equal(bodies.length, script.length);
      for (const [index, body] of bodies.entries()) {
        const before = bodies[index - 1];
        if (before !== undefined)
          assert.ok(body.startsWith(prefixOf(before)), `request ${index} changes what request ${index - 1} said`);
      }
    }),
    { numRuns: 6, seed: 20_260_101, endOnFailure: true },
  );
});
