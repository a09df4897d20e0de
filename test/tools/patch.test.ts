import assert from 'node:assert/strict';
import { chmod, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

interface Patched {
  readonly result: string;
  readonly content: string;
}

async function patch(bench: ToolBench, content: string, edit: JsonObject): Promise<Patched> {
  const path = join(bench.workdir, 'file');
  await writeFile(path, content);
  const result = await bench.run('patch', { path, ...edit });
  return { result, content: await readFile(path, 'utf8') };
}

test('a piece is replaced, and the diff is shown with the absolute path', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'file');

  const { result, content } = await patch(bench, 'one\ntwo\nthree\n', { old_string: 'two', new_string: '2\n$& $1' });

  assert.equal(content, 'one\n2\n$& $1\nthree\n');
  assert.equal(result, `patched ${path}\n--- ${path}\n+++ ${path}\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+$& $1\n three`);
});

test('FILE-11 several matches are an error with their number, unless all are wanted', async () => {
  await using bench = await openToolBench();

  const refused = await patch(bench, 'a b a b a', { old_string: 'a', new_string: 'x' });
  const all = await patch(bench, 'a b a b a', { old_string: 'a', new_string: 'aa', replace_all: true });

  assert.match(refused.result, /^ERROR: old_string occurs 3 times in .*; add lines around it .*replace_all/);
  assert.equal(refused.content, 'a b a b a');
  assert.match(all.result, /^patched .* 3 times\n/);
  assert.equal(all.content, 'aa b aa b aa');
});

const forgiven: readonly (readonly [string, string, JsonObject, string, string])[] = [
  [
    'trailing spaces',
    'if (x) {  \n  go();\t\n}\n',
    { old_string: 'if (x) {\n  go();\n', new_string: 'if (y) {\n  stop();\n' },
    'if (y) {\n  stop();\n}\n',
    'trailing spaces',
  ],
  [
    'another indentation, which the replacement takes over',
    'class A {\n    run() {\n        go();\n    }\n}\n',
    { old_string: 'run() {\n    go();\n}', new_string: 'run() {\n    if (x) {\n        stop();\n    }\n}' },
    'class A {\n    run() {\n        if (x) {\n            stop();\n        }\n    }\n}\n',
    'indentation',
  ],
  [
    'spaces for tabs',
    'a {\n\tb {\n\t\tc\n\t}\n}\n',
    { old_string: '  b {\n    c\n  }', new_string: '  b {\n    d\n\n    e\n  }' },
    'a {\n\tb {\n\t\td\n\n\t\te\n\t}\n}\n',
    'indentation',
  ],
  [
    'typographic punctuation',
    'say “hello” – it’s me\n',
    { old_string: `"hello" - it's`, new_string: '"bye" - it is' },
    'say "bye" - it is me\n',
    'typographic punctuation',
  ],
];

for (const [what, before, edit, after, reported] of forgiven) {
  test(`FILE-10 a match is found in spite of ${what}`, async () => {
    await using bench = await openToolBench();

    const { result, content } = await patch(bench, before, edit);

    assert.equal(content, after);
    assert.match(result, new RegExp(`^patched .* \\(matched but for ${reported}\\)\n---`));
  });
}

test('FILE-22w a loose match must be the only one, even when all are wanted', async () => {
  await using bench = await openToolBench();
  const content = '  go();\n    go();\n';

  const { result, content: after } = await patch(bench, content, {
    old_string: '\tgo();\n',
    new_string: 'x',
    replace_all: true,
  });

  assert.match(
    result,
    /^ERROR: old_string does not occur exactly in .*, and 2 places are like it; copy the exact text/,
  );
  assert.equal(after, content);
});

test('an exact match is preferred to loose ones', async () => {
  await using bench = await openToolBench();

  const { content } = await patch(bench, '  go();\n\tgo();\n', { old_string: '\tgo();', new_string: '\tstop();' });

  assert.equal(content, '  go();\n\tstop();\n');
});

test('lines of another shape do not match by indentation', async () => {
  await using bench = await openToolBench();

  const { result } = await patch(bench, 'a\n  b\n    c\n', { old_string: ' a\n b\n c', new_string: 'x' });

  assert.match(result, /^ERROR: old_string was not found/);
});

test('line endings, the byte order mark and the mode of a file are kept', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'file');
  await writeFile(path, '');
  await chmod(path, 0o640);

  const crLf = await patch(bench, '\uFEFFone\r\ntwo\r\nthree\r\n', { old_string: 'one\ntwo', new_string: '1\n2\n2b' });
  const single = await patch(bench, 'one\r\ntwo\r\n', { old_string: 'two', new_string: '2\n3' });
  const indented = await patch(bench, '  if\r\n    x\r\n', { old_string: 'if\n  x', new_string: 'if\n  y\n  z' });
  const mixed = await patch(bench, 'a\r\nb\nc\n', { old_string: 'b', new_string: 'x\ny' });
  const unix = await patch(bench, 'a\nb\n', { old_string: 'a\r\nb', new_string: 'x\r\ny' });

  assert.equal(crLf.content, '\uFEFF1\r\n2\r\n2b\r\nthree\r\n');
  assert.equal(single.content, 'one\r\n2\r\n3\r\n');
  assert.equal(indented.content, '  if\r\n    y\r\n    z\r\n');
  assert.equal(mixed.content, 'a\r\nx\ny\nc\n');
  assert.equal(unix.content, 'x\ny\n');
  assert.equal((await stat(path)).mode & 0o777, 0o640);
});

test('FILE-14 no match shows where it nearly matched, with line numbers, in a short error', async () => {
  await using bench = await openToolBench();
  const lines = Array.from(
    { length: 300 },
    (_, index) => `const value${index} = compute(${index}); ${'-'.repeat(300)}`,
  );
  lines[120] = 'function greetEveryone(names) {';

  const { result, content } = await patch(bench, lines.join('\n'), {
    old_string: 'function greetEverybody(name) {\n',
    new_string: 'x',
  });

  assert.match(result, /^ERROR: old_string was not found in .*; nearest:\n/);
  assert.match(result, /\n121\|function greetEveryone\(names\) \{\n/);
  assert.ok(result.length <= 2007);
  assert.equal(content, lines.join('\n'));
  const nothing = await patch(bench, 'abc\n', { old_string: 'xyz uvw', new_string: 'x' });
  assert.match(nothing.result, /nor anything like it; read the file first/);
});

test('what cannot be patched says why', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'latin'), Buffer.from([0x67, 0x72, 0xfc, 0x6e]));
  await writeFile(join(bench.workdir, 'binary'), 'a\0b');
  await writeFile(join(bench.workdir, 'large'), '');
  await truncate(join(bench.workdir, 'large'), 20_000_001);
  await bench.run('terminal', { command: 'mkfifo pipe' });
  const edit = { old_string: 'a', new_string: 'b' };

  assert.match(await bench.run('patch', { path: 'missing', ...edit }), /^ERROR: there is no /);
  assert.match(await bench.run('patch', { path: '.', ...edit }), /^ERROR: .* is not a file/);
  assert.match(await bench.run('patch', { path: 'latin', ...edit }), /^ERROR: .* is not text in UTF-8/);
  assert.match(await bench.run('patch', { path: 'binary', ...edit }), /^ERROR: .* is not text in UTF-8/);
  assert.match(await bench.run('patch', { path: 'pipe', ...edit }), /^ERROR: .* is not a file/);
  assert.match(
    await bench.run('patch', { path: 'large', ...edit }),
    /^ERROR: .* is too large to patch \(20000001 bytes\)/,
  );
  assert.match((await patch(bench, 'a', { old_string: 'a', new_string: 'a' })).result, /are the same/);
  await assert.rejects(patch(bench, 'a', { old_string: '', new_string: 'a' }), /old_string must not be empty/);
});

test('a change that would make a file longer than can be held is refused, and the file stays as it was', async () => {
  await using bench = await openToolBench();
  const before = 'a'.repeat(100_000);

  const edit = { old_string: 'a', new_string: 'b'.repeat(10_000), replace_all: true };
  const { result, content } = await patch(bench, before, edit);

  assert.equal(result, 'ERROR: the result would be longer than 20000000 characters; use the terminal');
  assert.equal(content, before);
});

test('a piece that stands in too many places is left alone, and in so many as can be changed at once it is replaced', async () => {
  await using bench = await openToolBench();
  const edit = { old_string: 'a\n', new_string: 'b\n', replace_all: true };
  const most = 100_000;

  const tooMany = await patch(bench, 'a\n'.repeat(most + 1), edit);
  const ambiguous = await patch(bench, 'a\n'.repeat(most + 1), { ...edit, replace_all: false });
  const loose = await patch(bench, 'a \n'.repeat(most + 1), edit);
  const justSoMany = await patch(bench, 'a\n'.repeat(most), edit);

  assert.match(tooMany.result, /^ERROR: old_string occurs more than 100000 times in \S+; use the terminal$/);
  assert.equal(tooMany.content, 'a\n'.repeat(most + 1));
  assert.match(ambiguous.result, /^ERROR: old_string occurs more than 100000 times in \S+; add lines around it/);
  assert.match(loose.result, /and more than 100000 places are like it/);
  assert.match(justSoMany.result, /^patched \S+ 100000 times\n/);
  assert.equal(justSoMany.content, 'b\n'.repeat(most));
});

test('a long diff is cut', async () => {
  await using bench = await openToolBench();
  const content = 'old line of text\n'.repeat(2000);

  const { result } = await patch(bench, content, { old_string: 'old', new_string: 'new', replace_all: true });

  assert.match(result, /\[the rest of the diff is left out\]$/);
  assert.ok(result.length < 7000);
});

const verdicts: readonly (readonly [string, string, JsonObject, 'done' | 'not-done' | 'unknown'])[] = [
  ['the old text is there', 'const a = 1;\n', {}, 'not-done'],
  ['the new text is there instead of the old', 'const answer = 42; // found\n', {}, 'done'],
  ['neither is there', 'something else\n', {}, 'unknown'],
  ['both are there', 'const a = 1;\nconst answer = 42; // found\n', {}, 'unknown'],
  ['the old text is there but for its indentation', '\tconst a = 1;\nconst answer = 42; // found\n', {}, 'unknown'],
  ['the new text is there twice', 'const answer = 42; // found\n'.repeat(2), {}, 'unknown'],
  ['all were replaced', 'const answer = 42; // found\n'.repeat(2), { replace_all: true }, 'done'],
  ['the new text is too short to prove anything', '}\n', { new_string: '}' }, 'unknown'],
  ['the old text was to be deleted and is gone', 'x\n', { new_string: '' }, 'unknown'],
  ['the old text was to be deleted and is there', 'const a = 1;\n', { new_string: '' }, 'not-done'],
  [
    'the new text contains the old',
    'const a = 1; // one and only\n',
    { new_string: 'const a = 1; // one and only' },
    'done',
  ],
  ['only the line endings differ', 'x\r\nconst a = 1;\r\n', { old_string: 'x\nconst a = 1;' }, 'not-done'],
];

for (const [situation, content, edit, verdict] of verdicts) {
  test(`after a crash a patch is ${verdict} where ${situation}`, async () => {
    await using bench = await openToolBench();
    await writeFile(join(bench.workdir, 'file'), content);
    const input = { path: 'file', old_string: 'const a = 1;', new_string: 'const answer = 42; // found', ...edit };

    assert.equal(await bench.verify('patch', input), verdict);
  });
}

test('after a crash nothing is known of a patch whose file is gone', async () => {
  await using bench = await openToolBench();

  assert.equal(await bench.verify('patch', { path: 'none', old_string: 'a', new_string: 'b' }), 'unknown');
});

test('what was verified as not done can be run, and is then verified as done', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'file'), 'start\nconst port = 80;\nend\n');
  const input = { path: 'file', old_string: 'const port = 80;', new_string: 'const port = Number(env.PORT);' };

  const before = await bench.verify('patch', input);
  await bench.run('patch', input);

  assert.deepEqual([before, await bench.verify('patch', input)], ['not-done', 'done']);
});
