import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FaultPoint } from '../../src/model/faults.ts';
import { textPart } from '../../src/model/message.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import { openToolBench } from '../support/tool-bench.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

/** Reads the log as it stands on disk each time the turn reaches a point between a record and its act. */
function readLogAt(
  points: readonly FaultPoint[],
  house: () => TestHouse,
): { seen: string[][]; reach(point: FaultPoint): Promise<void> } {
  const seen: string[][] = [];
  return {
    seen,
    async reach(point) {
      if (points.includes(point)) seen.push((await house().log()).map(({ entry }) => describe(entry)));
    },
  };
}

function describe(entry: { readonly type: string } & object): string {
  if ('call' in entry) return `${entry.type} ${(entry.call as { id: string }).id}`;
  return 'callId' in entry ? `${entry.type} ${String(entry.callId)}` : entry.type;
}

const twoCommands = callsTools([
  { name: 'terminal', args: { command: 'echo one >> out.txt' }, id: 'c1' },
  { name: 'terminal', args: { command: 'echo two >> out.txt' }, id: 'c2' },
]);

test('D1 a tool call is durable before the tool runs', async () => {
  const faults = readLogAt(['tool-called'], () => house);
  await using house: TestHouse = await openTestHouse({ script: [twoCommands, says('Done.')], faults });

  const reply = await house.say('write two lines');

  assert.equal(reply, 'Done.');
  assert.deepEqual(faults.seen[0], [
    'turn.admitted',
    'turn.claimed',
    'step.asked',
    'step.finished',
    'approval.asked c1',
    'approval.answered c1',
    'tool.called c1',
  ]);
});

test('D1 a tool that may begin at once begins behind the record of its call, not beside it', async () => {
  await using bench = await openToolBench(['c1', 'c2']);
  bench.finish('c1');
  bench.finish('c2');

  await bench.run();

  assert.deepEqual(bench.writtenBefore('c1'), [['tool.called', 'tool.called']]);
  assert.deepEqual(bench.writtenBefore('c2'), [['tool.called', 'tool.called']]);
});

test('an answer and the calls of it that nobody has to be asked about become durable in one write', async () => {
  const asks = callsTool('terminal', { command: 'echo asked > out.txt' }, { id: 'c1' });
  const faults = readLogAt(['step-finished'], () => house);
  await using house: TestHouse = await openTestHouse({
    script: [callsTool('terminal', { command: 'pwd' }, { id: 'c0' }), asks, says('Done.')],
    faults,
  });

  await house.say('where are we?');

  const [plain, asking] = faults.seen.map((log) => log.slice(log.lastIndexOf('step.finished')));
  assert.deepEqual(plain, ['step.finished', 'tool.called c0']);
  assert.deepEqual(asking, ['step.finished']);
  const types = await house.logTypes();
  assert.equal(types.filter((type) => type === 'tool.called').length, 2);
  assert.equal(types.filter((type) => type === 'tool.settled').length, 2);
});

test('the last answer and the result of the turn become durable in one write', async () => {
  const faults = readLogAt(['step-finished'], () => house);
  await using house: TestHouse = await openTestHouse({ script: [says('Done.')], faults });

  await house.say('hello');

  assert.deepEqual(faults.seen, [['turn.admitted', 'turn.claimed', 'step.asked', 'step.finished', 'turn.settled']]);
});

test('a turn is claimed at once where the log of its session had to be read, and later with its first record', async () => {
  const faults = readLogAt(['claimed', 'step-asked'], () => house);
  await using house: TestHouse = await openTestHouse({ script: () => says('Done.'), faults });

  await house.say('hello');
  await house.say('and again');
  await house.restart();
  await house.say('and after a restart');

  const ofTurn = faults.seen.map((log) => log.slice(log.lastIndexOf('turn.admitted')));
  const claimed = ['turn.admitted', 'turn.claimed'];
  const asked = [...claimed, 'step.asked'];
  assert.deepEqual(ofTurn, [claimed, asked, asked, claimed, asked]);
});

test('D2 tools that run one after another: each result is durable before the next tool starts', async () => {
  const faults = readLogAt(['tool-called'], () => house);
  await using house: TestHouse = await openTestHouse({ script: [twoCommands, says('Done.')], faults });

  await house.say('write two lines');

  const tools = faults.seen.map((log) => log.filter((line) => line.startsWith('tool.')));
  assert.deepEqual(tools, [['tool.called c1'], ['tool.called c1', 'tool.settled c1', 'tool.called c2']]);
  assert.equal(await readFile(join(house.workdir, 'out.txt'), 'utf8'), 'one\ntwo\n');
});

test('D2 a tool begins behind the records of its own call and of the result before it, not beside them', async () => {
  await using bench = await openToolBench(['c1', 'c2'], { effect: 'unsafe' });
  bench.finish('c1');
  bench.finish('c2');

  await bench.run();

  assert.deepEqual(bench.writtenBefore('c1'), [['tool.called']]);
  assert.deepEqual(bench.writtenBefore('c2'), [['tool.called'], ['tool.settled'], ['tool.called']]);
});

test('D3 tools that run side by side: results become durable one by one, in the order of the calls', async () => {
  await using bench = await openToolBench(['c1', 'c2', 'c3']);

  const run = bench.run();
  await bench.whenAllRun();
  bench.finish('c3');
  bench.finish('c2');
  await bench.whenFinished('c2');
  const whileFirstRuns = await bench.settled();
  bench.finish('c1');
  await run;

  assert.deepEqual(whileFirstRuns, []);
  assert.deepEqual(await bench.settled(), ['c1', 'c2', 'c3']);
  assert.deepEqual(bench.writes, [
    ['tool.called', 'tool.called', 'tool.called'],
    ['tool.settled'],
    ['tool.settled'],
    ['tool.settled'],
  ]);
});

test('at most eight calls run side by side', async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `c${index}`);
  await using bench = await openToolBench(ids);

  const run = bench.run();
  await bench.whenRunning(8);
  const atFirst = bench.running();
  for (const id of ids) bench.finish(id);
  await run;

  assert.deepEqual(atFirst, ids.slice(0, 8));
  assert.deepEqual(await bench.settled(), ids);
});

test('a result over 100,000 characters is kept whole beside the conversation, with its head, its tail and how it ended', async () => {
  const result = `first line\n${'x'.repeat(150_000)}\nlast line`;
  await using bench = await openToolBench(['c1'], { resultOf: () => result, ended: 'put-aside' });
  bench.finish('c1');

  await bench.run();

  const log = await bench.store.turns.after(bench.turn.sessionId, 0);
  const outcome = log.flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome] : []))[0];
  assert.ok(outcome?.type === 'done');
  assert.equal(outcome.ended, 'put-aside');
  const [head, kept, tail] = outcome.parts;
  assert.ok(kept?.type === 'blob');
  assert.equal(kept.characters, result.length);
  assert.equal(await bench.store.blobs.read(bench.turn.sessionId, kept.blob), result);
  assert.deepEqual([head, tail], [textPart(result.slice(0, 1500)), textPart(result.slice(-1500))]);
});
