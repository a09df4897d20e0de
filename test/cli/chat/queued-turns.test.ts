import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delays, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;

test('where messages waited, each stands again above its answer', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using desk = await openDesk([delays(gate.promise, says('Red.')), says('Green.'), says('Blue.')]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(/^›$/m);
  await terminal.enter('name a colour');
  await desk.server.whenRequested(1);

  await terminal.enter('/queue another');
  await terminal.shows(/Waits: 1 turn is before it\./);
  await terminal.enter('/queue one more');
  await terminal.shows(/Waits: 2 turns are before it\./);
  gate.resolve();
  const screen = await terminal.shows(/Blue\.\n›$/);

  assert.match(screen, /\nRed\.\nNow to “another”\nGreen\.\nNow to “one more”\nBlue\.\n›$/);
  assert.doesNotMatch(screen, /Now to “name/);
});
