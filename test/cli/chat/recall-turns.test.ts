import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';

test('who continues a session after /undo sees the last exchange that still counts, and what was taken back only where that came last', async () => {
  await using desk = await openDesk([says('Red.'), says('Blue.'), says('Green.')]);
  const comeBack = async (): Promise<string> => (await desk.run(['-c'], { input: '' })).stderr;

  await desk.run([], { input: 'a colour\nanother\n/undo\n' });
  const undone = await comeBack();
  await desk.run(['-c'], { input: 'a third\n' });
  const later = await comeBack();
  await desk.run(['-c'], { input: '/undo\n/undo\n' });
  const empty = await comeBack();

  assert.match(undone, /^› a colour\nRed\.\n› \/undo\n.*another.*\n$/);
  assert.match(later, /^› a third\nGreen\.\n$/);
  assert.match(empty, /^› \/undo\n.*a colour.*\n$/);
});
