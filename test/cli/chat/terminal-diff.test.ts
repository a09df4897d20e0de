import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

test('a chat shows what each write changed in a file, and talaria run does not', { skip: noTerminal }, async () => {
  const patches = [
    callsTool('patch', { path: 'notes.md', old_string: 'peas', new_string: 'beans\nmint' }),
    callsTool('patch', { path: 'notes.md', old_string: 'beans', new_string: 'kale' }),
  ] as const;
  await using desk = await openDesk([patches[0], says('Sown.'), patches[1], says('Again.')]);
  await writeFile(join(desk.workdir, 'notes.md'), 'a garden\npeas\nand more\n');
  await using terminal = openTerminal(desk, []);
  await terminal.shows(/^›$/m);

  await terminal.enter('plant it');
  const screen = await terminal.shows(/Sown\.\n›$/);
  await terminal.press('C-d');
  await terminal.shows(/ended with/);
  const run = await desk.run(['run', 'once more']);

  assert.match(screen, /✓ patched \S+notes\.md …\n {4}- peas\n {4}\+ beans\n {4}\+ mint\nSown\.\n›$/);
  assert.match(run.stderr, /✓ patched/);
  assert.doesNotMatch(run.stderr, /kale/);
});
