import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import { test } from 'node:test';
import { ManualClock } from '../support/manual-clock.ts';
import { checkForegroundFlood } from './large-output.ts';
import { openToolBench } from './open-toolbox.ts';

test('TERM-10 of 200 MB of output the ends are kept, the rest is counted, and memory stays bounded', async () => {
  await checkForegroundFlood(200_000_000);
});

test('output of exactly the limit is whole', async () => {
  await using bench = await openToolBench();

  const text = await bench.run('terminal', { command: 'head -c 50000 /dev/zero | tr "\\0" x' });

  assert.equal(text, 'x'.repeat(50_000));
});

test('colours and other escape sequences are taken out, also when they arrive in pieces', async () => {
  await using bench = await openToolBench();
  const parts = ['\\033[1;3', '1mred\\033', '[0m \\033]8;;http://x\\007link\\033]8;;\\007', ' a\\0b\\010c'];

  const text = await bench.run('terminal', { command: parts.map((part) => `printf '${part}'; sleep 0.05`).join('; ') });

  assert.equal(text, 'red link abc');
});

test('a command may open its output anew, and nothing of it is lost', async () => {
  await using bench = await openToolBench();

  const text = await bench.run('terminal', {
    command: 'echo a; echo b > /dev/stderr; echo c > /dev/stdout; echo d | tee /dev/stderr',
  });

  assert.equal(text, 'a\nb\nc\nd\nd');
});

test('characters that arrive in pieces are put together, and bytes that are no text are replaced', async () => {
  await using bench = await openToolBench();

  const text = await bench.run('terminal', {
    command: String.raw`printf 'gr\303'; sleep 0.05; printf '\274n \360\237'; sleep 0.05; printf '\246\204 \377!'; echo ünï`,
  });

  assert.equal(text, 'grün 🦄 \uFFFD!ünï');
});

test('TERM-11 an exit code is shown when it is not zero, with what it conventionally means', async () => {
  await using bench = await openToolBench();
  const commands = [
    'true',
    'exit 7',
    'echo a | grep b',
    'no-such-program',
    '/etc',
    'kill -INT $$',
    'kill -SEGV $$',
    'diff /dev/null /etc/passwd >/dev/null',
    'true && grep a /dev/null',
    '[[ a == b ]]',
  ];

  const texts = await Promise.all(commands.map((command) => bench.run('terminal', { command })));

  const lowered = texts.map((text) => text.replace('Is a', 'is a'));
  assert.deepEqual(lowered, [
    '[no output]',
    '[exit code 7]',
    '[exit code 1: no matches]',
    'bash: line 1: no-such-program: command not found\n[exit code 127: command not found]',
    'bash: line 1: /etc: is a directory\n[exit code 126: could not be executed]',
    '[exit code 130: ended by SIGINT]',
    '[exit code 139: crashed with a segmentation fault]',
    '[exit code 1: the files differ]',
    '[exit code 1: no matches]',
    '[exit code 1: the condition is false]',
  ]);
});

test('TERM-22 a silent command shows every ten seconds that it is alive; a busy one shows its newest line', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  const stop = new AbortController();

  const running = bench.run('terminal', { command: 'exec sleep 1000' }, { signal: stop.signal });
  await clock.whenSomeoneSleeps();
  clock.advance(10_000);
  await nextTick();
  clock.advance(10_000);
  await nextTick();
  stop.abort();
  await running;
  await bench.run('terminal', { command: 'printf "two \\033[31mred\\033[0m\\n"' });

  assert.deepEqual(bench.progress, ['still running after 10 s', 'still running after 20 s', 'two red']);
});

test('a command that is too long or holds a NUL is refused with advice', async () => {
  await using bench = await openToolBench();

  const long = await bench.run('terminal', { command: `: ${'x'.repeat(200_000)}` });

  assert.match(long, /^ERROR: the command is too long .* write_file/);
  assert.match(await bench.run('terminal', { command: 'echo \0' }), /NUL/);
});
