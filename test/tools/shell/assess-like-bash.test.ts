import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { assessCommand } from '../../../src/tools/shell/assess-command.ts';
import { loadBashSyntax } from '../../../src/tools/shell/bash-syntax.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const syntax = await loadBashSyntax();
const surroundings = { home: '/home/ann', folder: '/home/ann/project' };

const shellPieces = [
  ' ',
  '\n',
  ';',
  '&',
  '|',
  '(',
  ')',
  '<',
  '>',
  '<<',
  '$',
  '${',
  '}',
  '$(',
  '`',
  "'",
  '"',
  '\\',
  '#',
  '*',
  '~',
  '\t',
  '\r',
  '\\\n',
  '{',
  ',',
  '[',
  ']',
  '!',
  '((',
  '[[',
  "$'",
  '$"',
  '-',
  'é',
];

test('whatever is called safe is, to bash too, nothing but calls of the program with just these words', async () => {
  await using folder = await makeTempFolder();
  // Something for wildcards to find.
  await Promise.all(['x', 'xx', 'ls', '-c', 'EOF', '~x'].map((name) => writeFile(join(folder.path, name), '')));
  const pieces = fc.array(
    fc.constantFrom(...shellPieces, 'ls', ' ls ', ' | ls ', '; ls ', '&&ls ', '||ls ', '/', 'x', '-c', 'EOF', "''"),
    { maxLength: 8 },
  );
  const commands = fc.sample(pieces, { numRuns: 40_000, seed: 7 }).map((each) => `ls ${each.join('')}`);
  const safe = commands.flatMap((command) => {
    const risk = assessCommand(command, surroundings, syntax);
    return risk.type === 'safe' ? [{ command, calls: risk.reads.map(({ paths }) => paths) }] : [];
  });

  // What came through a pipe is passed on, so that every call is seen.
  const script = [
    'pass() { while IFS= read -r -d "" each; do printf "%s\\0" "$each"; done; printf "%s" "$each"; }',
    'ls() { if [ -p /dev/stdin ]; then pass; fi; printf "\\2"; printf "%s\\0" "$@"; printf "\\n"; }',
    ...safe.map(({ command }) => `eval ${quote(command)}; printf "\\1"`),
  ];
  const environment = { PATH: '/nowhere', HOME: surroundings.home };
  // Restricted and apart: a command that is wrongly called safe must not write files or start programs here.
  const options = { cwd: folder.path, env: environment, encoding: 'utf8' } as const;
  const shell = spawnSync('/bin/bash', ['-r', '-s'], { ...options, input: script.join('\n') });

  const seen = shell.stdout.split('\u0001');
  const wrong = safe.filter(({ calls }, index) => {
    const expected = new Set(calls.map(spellCall));
    const [nothing, ...called] = seen[index]?.split('\u0002') ?? [];
    // Behind `||` nothing is called here.
    return nothing !== '' || called.length === 0 || !called.every((call) => expected.has(call));
  });
  assert.equal(shell.stderr, '');
  assert.deepEqual([wrong, seen.length - 1], [[], safe.length]);
  assert.ok(safe.length > 1000);
});

/** A call as the shell of the test tells it. */
function spellCall(words: readonly string[]): string {
  const spelt = words.map((word) => `${word.replace(/^~(?=\/|$)/, surroundings.home)}\0`).join('');
  return `${spelt === '' ? '\0' : spelt}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
