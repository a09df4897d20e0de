import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { outcomeToText } from '../../src/model/message.ts';
import { findRipgrep, runRipgrep } from '../../src/tools/files/ripgrep.ts';
import { sortComplaints } from '../../src/tools/files/run-search.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

async function writeAll(bench: ToolBench, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(bench.workdir, name)), { recursive: true });
    await writeFile(join(bench.workdir, name), content);
  }
}

const missing = (): Promise<undefined> => Promise.resolve(undefined);

test('FILE-17 matches come by file and line; hidden and ignored files are skipped', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, {
    'b.ts': 'x\nneedle one\n',
    'a/c.ts': 'needle two\nx\nneedle three\n',
    '.hidden.ts': 'needle',
    '.config/x.ts': 'needle',
    'skip.log': 'needle',
    'node_modules/m.ts': 'needle',
    'data.bin': 'needle\0needle',
    '.gitignore': '*.log\nnode_modules\n',
  });

  const text = await bench.run('search_files', { pattern: 'needle' });
  const typed = await bench.run('search_files', { pattern: 'needle', file_glob: '*.{ts,log}' });
  const hidden = await bench.run('search_files', { pattern: 'needle', file_glob: '.h*' });
  const under = await bench.run('search_files', { pattern: 'needle', file_glob: 'a/**/*.ts' });

  const inA = 'a/c.ts\n1:needle two\n3:needle three\n';
  assert.equal(text, `${inA}b.ts\n2:needle one\n[3 matches in ${bench.workdir}]`);
  assert.equal(typed, text);
  assert.equal(hidden, `[no matches in ${bench.workdir}]`);
  assert.equal(under, `${inA}[2 matches in ${bench.workdir}]`);
});

test('lines around a match are marked as such', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { f: '1\n2\nneedle\n4\n5\n6\n7\nneedle\n' });

  const text = await bench.run('search_files', { pattern: 'needle', context: 1 });
  const second = await bench.run('search_files', { pattern: 'needle', context: 1, offset: 1 });

  assert.equal(text, `f\n2-2\n3:needle\n4-4\n7-7\n8:needle\n[2 matches in ${bench.workdir}]`);
  assert.equal(second, `f\n7-7\n8:needle\n[1 match in ${bench.workdir}; from offset 1]`);
});

test('FILE-21w a cut list says so and where to go on, and pages neither overlap nor miss anything', async () => {
  await using bench = await openToolBench();
  const names = ['a', 'b', 'c', 'd', 'e'];
  await writeAll(bench, Object.fromEntries(names.map((name) => [name, 'hit\nhit\n'])));

  const first = await bench.run('search_files', { pattern: 'hit', limit: 7 });
  const last = await bench.run('search_files', { pattern: 'hit', limit: 7, offset: 7 });
  const exact = await bench.run('search_files', { pattern: 'hit', limit: 10 });

  assert.match(first, /\nd\n1:hit\n\[7 matches in .*; there are more: offset=7\]$/);
  assert.equal(last, `d\n2:hit\ne\n1:hit\n2:hit\n[3 matches in ${bench.workdir}; from offset 7]`);
  assert.match(exact, /\[10 matches in [^;]*\]$/);
});

test('the text of a match is cut at 500 characters', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { f: `needle ${'x'.repeat(100_000)}` });

  const [, line = ''] = (await bench.run('search_files', { pattern: 'needle' })).split('\n');

  assert.ok(line.startsWith('1:needle xxx') && line.length <= 502 && line.endsWith('…'));
});

test('files are found by glob or by part of their path, newest first', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, {
    'old.ts': '',
    'src/new.ts': '',
    'src/mid.ts': '',
    'x.md': '',
    'out.log': '',
    '.gitignore': '*.log',
  });
  await utimes(join(bench.workdir, 'old.ts'), 1000, 1000);
  await utimes(join(bench.workdir, 'src/mid.ts'), 2000, 2000);
  const find = (input: Record<string, string | number>): Promise<string> => {
    return bench.run('search_files', { target: 'files', pattern: '*', ...input });
  };

  assert.equal(await find({ pattern: '*.ts' }), `src/new.ts\nsrc/mid.ts\nold.ts\n[3 files in ${bench.workdir}]`);
  assert.equal(
    await find({ pattern: 'src/*.ts', limit: 1 }),
    `src/new.ts\n[1 file in ${bench.workdir}; there are more: offset=1]`,
  );
  assert.equal(await find({ pattern: 'SRC/m' }), `src/mid.ts\n[1 file in ${bench.workdir}]`);
  assert.equal(await find({ pattern: '*.log' }), `[no files in ${bench.workdir}]`);
  assert.equal(await find({ pattern: '*.md', path: 'src' }), `[no files in ${join(bench.workdir, 'src')}]`);
});

test('one file can be searched, also a hidden one', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { '.settings': 'a\nneedle\n' });

  const path = join(bench.workdir, '.settings');
  assert.equal(
    await bench.run('search_files', { pattern: 'needle', path: '.settings' }),
    `${path}\n2:needle\n[1 match in ${path}]`,
  );
});

test('a pattern may look around, start with a dash, and its mistakes are explained', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { f: 'foobar\n--flag\n' });

  assert.match(await bench.run('search_files', { pattern: 'foo(?=bar)' }), /1:foobar/);
  assert.match(await bench.run('search_files', { pattern: '--flag' }), /2:--flag/);
  const bad = await bench.run('search_files', { pattern: 'foo(' });
  assert.match(bad, /^ERROR: the pattern is not a valid regular expression: .*unclosed group/s);
  assert.ok(bad.length <= 2007);
});

test('a missing path is answered with similar names', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { 'source/f': '' });

  const text = await bench.run('search_files', { pattern: 'x', path: 'sourc' });

  assert.equal(text, `ERROR: there is no ${join(bench.workdir, 'sourc')}; similar: ${join(bench.workdir, 'source')}`);
});

test('a place that cannot be read is named and no failure; one that is gone is neither', () => {
  const closed = 'rg: ./closed: IO error for operation on ./closed: Permission denied (os error 13)\n';
  const gone = 'rg: ./a: b: No such file or directory (os error 2)\n';

  assert.deepEqual(sortComplaints({ code: 2, errors: `${closed}${gone}rg: ./cut o` }), {
    unread: ['./closed'],
    failure: undefined,
  });
  assert.deepEqual(sortComplaints({ code: 2, errors: `${closed}rg: it is broken\n` }), {
    unread: ['./closed'],
    failure: 'the search failed: rg: it is broken',
  });
  assert.deepEqual(sortComplaints({ code: 1, errors: '' }), { unread: [], failure: undefined });
});

test('a match in what is not text is told, with the file, and none of its bytes', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'a.bin'), 'needle \0\u0001 needle\n');
  await writeFile(join(bench.workdir, 'late'), `a needle\n${'text\n'.repeat(50_000)}\0 needle\n`);

  const one = await bench.run('search_files', { pattern: 'needle', path: 'a.bin' });
  const all = await bench.run('search_files', { pattern: 'needle' });
  const none = await bench.run('search_files', { pattern: 'thread', path: 'a.bin' });

  const note = 'matches in what is not text are left out, use grep -a in the terminal';
  const path = join(bench.workdir, 'a.bin');
  assert.equal(one, `[no matches in ${path}; ${note}: ${path}]`);
  assert.equal(all, `late\n1:a needle\n[1 match in ${bench.workdir}; ${note}: late]`);
  assert.equal(none, `[no matches in ${path}]`);
});

test('our secrets are never among the results, and cannot be searched', async () => {
  await using bench = await openToolBench();
  for (const folder of ['state', 'tasks']) {
    await mkdir(join(bench.home, folder));
    await writeFile(join(bench.home, folder, 'records'), 'needle');
  }
  await writeFile(join(bench.home, '.env'), 'needle');
  await writeFile(join(bench.home, 'notes'), 'needle');
  await symlink(join(bench.home, 'state'), join(bench.workdir, 'link'));

  const found = await bench.run('search_files', { pattern: 'needle', path: bench.home });
  const risks = await Promise.all(
    [...['state', 'tasks', '.env'].map((name) => join(bench.home, name)), 'link'].map(async (path) => {
      const input = { pattern: 'needle', path };
      return [(await bench.assess('search_files', input)).type, (await bench.outcome('search_files', input)).type];
    }),
  );

  assert.equal(found, `notes\n1:needle\n[1 match in ${bench.home}]`);
  assert.deepEqual(risks, [
    ['forbidden', 'failed'],
    ['forbidden', 'failed'],
    ['forbidden', 'failed'],
    ['forbidden', 'failed'],
  ]);
});

test('what a person was not asked about is not searched when a link has come to lead there', async () => {
  await using bench = await openToolBench();
  const note = join(bench.workdir, 'notes.txt');
  await writeAll(bench, { 'notes.txt': 'needle', '.netrc': 'a password needle' });
  const swapped = await bench.prepare('search_files', { pattern: 'needle', path: 'notes.txt' });
  const agreed = await bench.prepare('search_files', { pattern: 'needle', path: '.netrc' });
  await rm(note);
  await symlink('.netrc', note);

  const texts = [outcomeToText(await swapped.run()), outcomeToText(await agreed.run())];

  const place = join(bench.workdir, '.netrc');
  assert.deepEqual([swapped.risk.type, agreed.risk.type], ['safe', 'ask']);
  assert.equal(texts[0], `ERROR: that now leads to ${place}, which the user was not asked about`);
  assert.match(texts[1] ?? '', /a password needle/);
});

test('a file whose place a link to a key has for as long as the search goes on is searched itself', async () => {
  const clock: Clock = {
    ...systemClock,
    // The search looks at the clock right before it starts ripgrep, and lets go of it right behind.
    sleep: async (ms, signal) => {
      renameSync(note, `${note}.was`);
      symlinkSync(join(bench.userHome, '.netrc'), note);
      await systemClock.sleep(ms, signal).finally(() => renameSync(`${note}.was`, note));
    },
  };
  await using bench = await openToolBench({ clock });
  const note = join(bench.workdir, 'notes.txt');
  await writeFile(join(bench.userHome, '.netrc'), 'a password needle');
  await writeFile(note, 'a needle');

  const text = await bench.run('search_files', { pattern: 'needle', path: 'notes.txt' });

  assert.equal(text, `${note}\n1:a needle\n[1 match in ${note}]`);
});

test('lines are shown whatever their length, their encoding and their ends', async () => {
  await using bench = await openToolBench();
  const long = `needle ${'€uro '.repeat(300)}`;
  await writeAll(bench, {
    'a.txt': `\uFEFFx\r\nneedle one\r\n${long}needle\n\n  needle without an end`,
    'c.txt': `${'y'.repeat(200_000)}\n${'z\n'.repeat(90_000)}needle far below\n`,
  });
  await writeFile(join(bench.workdir, 'b.txt'), Buffer.from('\uFEFFx\nneedle wide\n', 'utf16le'));
  await writeFile(join(bench.workdir, 'd.txt'), Buffer.from('needle \xE9\xFF odd\n', 'latin1'));

  const text = await bench.run('search_files', { pattern: 'needle', context: 1 });

  for (const line of ['2:needle one', '5:  needle without an end', '2:needle wide', '90002:needle far below'])
    assert.ok(text.includes(line), line);
  assert.match(text, /3:needle €uro /);
  assert.match(text, /1:needle .* odd/);
  assert.match(text, /\[6 matches in /);
  assert.doesNotMatch(text, /left out/);
});

test('a folder that is swapped for a link to our secrets as the search begins shows nothing', async () => {
  const clock: Clock = {
    ...systemClock,
    // The search looks at the clock right before it starts ripgrep.
    sleep: (ms, signal) => {
      renameSync(join(bench.workdir, 'folder'), join(bench.workdir, 'was-folder'));
      symlinkSync(join(bench.home, 'state'), join(bench.workdir, 'folder'));
      return systemClock.sleep(ms, signal);
    },
  };
  await using bench = await openToolBench({ clock });
  await mkdir(join(bench.workdir, 'folder'));
  await mkdir(join(bench.home, 'state'));
  await writeFile(join(bench.home, 'state', 'records'), 'needle');

  const text = await bench.run('search_files', { pattern: 'needle', path: 'folder' });

  assert.equal(text, `ERROR: ${join(bench.workdir, 'folder')} was moved meanwhile; search again`);
});

test('a file that comes to lead to what logs in after it was judged is not searched', async () => {
  await using bench = await openToolBench();
  const [key, file] = [join(bench.userHome, '.ssh', 'key'), join(bench.workdir, 'file')];
  await mkdir(join(bench.userHome, '.ssh'));
  await Promise.all([key, file].map((path) => writeFile(path, 'needle')));

  const { risk, run } = await bench.prepare('search_files', { pattern: 'needle', path: 'file' });
  renameSync(file, `${file}.aside`);
  symlinkSync(key, file);
  const outcome = await run();

  assert.equal(risk.type, 'safe');
  assert.equal(outcomeToText(outcome), `ERROR: that now leads to ${key}, which the user was not asked about`);
});

test('without a bundled ripgrep the one on the path is used', async () => {
  await using bench = await openToolBench();
  await writeAll(bench, { rg: '#!/bin/sh\n' });
  const program = join(bench.workdir, 'rg');
  await chmod(program, 0o755);

  assert.equal(await findRipgrep(`/nowhere:${bench.workdir}`, missing), program);
  assert.equal(await findRipgrep('/nowhere', missing), undefined);
  assert.notEqual(await findRipgrep('/nowhere'), undefined);
});

test('the search program sees only the environment that was chosen for children', async () => {
  const lines: string[] = [];
  const onLine = (line: string): 'go-on' => {
    lines.push(line);
    return 'go-on';
  };
  const signal = new AbortController().signal;

  await runRipgrep({ program: '/usr/bin/env', args: [], environment: { ONLY: 'this' }, signal, onLine });

  assert.deepEqual(lines, ['ONLY=this']);
});

test('a search that takes a minute is ended, and what it found is shown as partial', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  await bench.run('terminal', { command: 'mkfifo stuck; echo needle > a' });

  const searching = bench.run('search_files', { pattern: 'needle', path: 'stuck' });
  await clock.whenSomeoneSleeps();
  clock.advance(60_000);

  assert.equal(
    await searching,
    `[no matches in ${join(bench.workdir, 'stuck')}; stopped after 60 s, so some may be missing; narrow the search]`,
  );
});

test('an abort ends a search', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  await bench.run('terminal', { command: 'mkfifo stuck' });
  const stop = new AbortController();

  const searching = bench.outcome('search_files', { pattern: 'x', path: 'stuck' }, { signal: stop.signal });
  await clock.whenSomeoneSleeps();
  stop.abort();

  assert.deepEqual(await searching, { type: 'interrupted' });
});
