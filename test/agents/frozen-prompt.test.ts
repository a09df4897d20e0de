import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { sayings, trust, trustedFoldersOf, writeAllParts, writePart, writtenParts } from '../support/written-files.ts';
import { answered, openLongHouse, prose } from '../turn/compaction-setup.ts';
import { openCacheBench } from './cache-bench.ts';

function systemOf(request: SeenRequest | undefined): string {
  const [first] = (request?.json?.['messages'] ?? []) as readonly JsonObject[];
  assert.equal(first?.['role'], 'system');
  return first['content'] as string;
}

/** Which parts of a request speak of a word. */
function partsWith(word: string, request: SeenRequest | undefined): readonly string[] {
  return writtenParts.filter((part) => systemOf(request).includes(sayings[part](word)));
}

async function detailsOf(house: TestHouse): Promise<readonly (string | undefined)[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry.change?.detail] : []));
}

async function openWrittenHouse(word: string): Promise<TestHouse> {
  const house = await openTestHouse({ script: () => says('Well.') });
  await trust(house.workdir, house.home);
  await writeAllParts(word, house);
  return house;
}

test('L6 edits of identity, memory, skills and context files change nothing of a running session, not even over a restart', async () => {
  await using house = await openWrittenHouse('larks');
  await house.say('one');

  for (const part of writtenParts) {
    await writePart(part, 'owls', house);
    await house.say(`after ${part}`);
  }
  await house.restart();
  await house.say('and on');

  const systems = house.server.requests.map(systemOf);
  assert.equal(systems.length, 6);
  assert.deepEqual(partsWith('larks', house.server.requests[0]), writtenParts);
  assert.equal(new Set(systems).size, 1);
  assert.deepEqual(
    (await detailsOf(house)).slice(1),
    Array.from({ length: 5 }, () => undefined),
  );
});

test('L6 an agent that is built anew after its eviction sends the same bytes, whatever was written meanwhile', async () => {
  await using bench = await openCacheBench();
  const place = { home: bench.home.path, workdir: bench.folder };
  await trust(bench.folder, bench.home.path);
  await writeAllParts('larks', place);
  await bench.say('a');

  await writeAllParts('owls', place);
  bench.cache.evictAll();
  await bench.say('a');
  await bench.say('b');

  const [first, again, other] = bench.server.requests;
  assert.equal(systemOf(again), systemOf(first));
  assert.deepEqual(partsWith('larks', first), writtenParts);
  assert.deepEqual(partsWith('owls', other), writtenParts);
});

test('a new session reads everything anew', async () => {
  await using house = await openWrittenHouse('larks');
  await house.say('one');
  await writeAllParts('owls', house);

  await house.say('/new');
  await house.say('two');

  assert.deepEqual(partsWith('owls', house.server.requests[1]), writtenParts);
});

test('other settings read everything anew, and the ledger names what changed', async () => {
  await using house = await openWrittenHouse('larks');
  await house.say('one');
  await writePart('identity', 'owls', house);
  await writePart('memory', 'owls', house);

  const path = join(house.home, 'config.json');
  const settings = JSON.parse(await readFile(path, 'utf8')) as JsonObject;
  await writeFile(path, JSON.stringify({ ...settings, compression: { threshold: 0.6 } }));
  await house.say('two');
  await house.say('three');

  assert.deepEqual(partsWith('owls', house.server.requests[1]), ['identity', 'memory']);
  assert.equal(systemOf(house.server.requests[2]), systemOf(house.server.requests[1]));
  assert.deepEqual((await detailsOf(house)).slice(1), [
    'identity changed, memory changed (read anew after a change of settings or trust)',
    undefined,
  ]);
});

test('a compaction by hand reads everything anew, /usage why names what changed, and a restart keeps it', async () => {
  await using house = await openTestHouse({ script: () => says(prose('word', 400)) });
  await writeAllParts('larks', house);
  for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) await house.say(text);
  await writePart('memory', 'owls', house);
  await writePart('skills', 'owls', house);
  await house.say('six and a half');

  await house.say('/compact');
  await house.say('seven');
  const why = await house.admit('/usage why');
  await house.restart();
  await house.say('eight');

  const [before, summary, after, later] = house.server.requests.slice(-4);
  assert.deepEqual(partsWith('owls', before), []);
  assert.match(systemOf(summary), /^You sum up/);
  assert.deepEqual(partsWith('owls', after), ['memory', 'skills']);
  assert.equal(systemOf(later), systemOf(after));
  assert.match(
    why.type === 'commanded' ? why.reply : '',
    /Skills changed, memory changed \(read anew when the conversation was shortened\): /,
  );
});

test('a compaction in the middle of a turn reads everything anew at once, and the turn goes on with that', async () => {
  let steps = 0;
  await using long = await openLongHouse({
    window: 8000,
    settings: { compression: { protect_last_n: 1 } },
    answer: async (request) => {
      steps += 1;
      // Somebody edits the file while the turn runs.
      if (steps === 2) await writePart('memory', 'owls', long.house);
      if (request.body.includes('SUMMARY OF IT.')) return says('Done.');
      return callsTool('write_file', { path: `f${steps}.txt`, content: prose('word', 500) });
    },
  });
  const { house, server } = long;
  await writeAllParts('larks', house);

  await house.say('write until it is full');

  const requests = answered(server);
  const last = requests.length - 1;
  assert.ok(last > 3);
  assert.deepEqual(
    requests.map((request) => partsWith('owls', request)),
    requests.map((_, index) => (index === last ? ['memory'] : [])),
  );
  const turns = (await house.logTypes()).filter((type) => type === 'turn.admitted');
  assert.equal(turns.length, 1);
  assert.equal((await house.frozenPrompt())?.system, systemOf(requests[last]));
  assert.equal((await detailsOf(house)).at(-1), 'memory changed (read anew when the conversation was shortened)');
});

test('only the files of a trusted folder count: the next message after it is trusted has them, and none after it no longer is', async () => {
  await using house = await openTestHouse({ script: () => says('Well.') });
  await writePart('context', 'larks', house);
  await house.say('one');

  await trust(house.workdir, house.home);
  await house.say('two');
  await trustedFoldersOf(house.home).remove(house.workdir);
  await house.say('three');

  assert.deepEqual(
    house.server.requests.map((request) => partsWith('larks', request)),
    [[], ['context'], []],
  );
  const detail = 'context files changed (read anew after a change of settings or trust)';
  assert.deepEqual((await detailsOf(house)).slice(1), [detail, detail]);
});

test('a chat on another platform is told nothing of an untrusted folder either', async () => {
  await using bench = await openCacheBench({ platform: 'telegram' });
  await writePart('context', 'larks', { home: bench.home.path, workdir: bench.folder });

  await bench.say('a');

  assert.deepEqual(partsWith('larks', bench.server.requests[0]), []);
});

test('whoever opens a terminal in a folder whose file does not count is told so in one line, and how to change it', async () => {
  await using house = await openTestHouse({ script: () => says('Well.') });
  assert.deepEqual(house.warnings, []);
  await writePart('context', 'larks', house);

  await house.restart();
  const untrusted = house.warnings;
  await trust(house.workdir, house.home);
  await house.restart();

  const line = `AGENTS.md is not read: ${house.workdir} is not trusted. To trust it: talaria trust ${house.workdir}`;
  assert.deepEqual(untrusted, [line]);
  assert.deepEqual(house.warnings, []);
});

test('an agent without the tools for files is told of no skill, since it could not read one', async () => {
  const settings = { agent: { disabled_toolsets: ['file'] } };
  await using house = await openTestHouse({ script: () => says('Well.'), settings });
  await writeAllParts('larks', house);

  await house.say('one');

  assert.deepEqual(partsWith('larks', house.server.requests[0]), ['identity', 'memory']);
});

test('what cannot be read is left out and logged, and the turn is answered', async () => {
  await using house = await openTestHouse({ script: () => says('Well.') });
  await writePart('skills', 'larks', house);
  await writeFile(join(house.home, 'skills', 'baking', 'SKILL.md'), 'no front matter');
  await writeFile(join(house.home, 'SOUL.md'), Buffer.alloc(2 * 1024 * 1024, 'x'));
  await writeFile(join(house.home, 'MEMORY.md'), 'It rained.\u202E');

  const reply = await house.say('one');

  const log = await readFile(join(house.home, 'logs', 'talaria.log'), 'utf8');
  assert.equal(reply, 'Well.');
  assert.match(
    systemOf(house.server.requests[0]),
    /^You are Talaria, .*It rained\.\n\[1 invisible character was taken/s,
  );
  assert.match(log, /skills\/baking\/SKILL\.md is left out: it does not begin with front matter/);
  assert.match(log, /SOUL\.md is not read: it is too large/);
  assert.match(log, /1 invisible characters in .*MEMORY\.md are kept from the model/);
});
