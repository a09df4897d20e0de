import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says, stallsAfter } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;

/** A screen with one prompt on it and this behind it, wherever its rows end: a ghost would be a second prompt. */
function onlyLine(text: string): RegExp {
  const characters = Array.from(text, (character) => `${RegExp.escape(character)}\\n?`);
  return new RegExp(`^[^›]*› ${characters.join('')}$`);
}

const words = Array.from({ length: 12 }, (_, index) => `word-${index + 10}`).join(' ');

test('a pasted line that wraps can be edited everywhere, and leaves no ghost of itself', { skip }, async () => {
  await using desk = await openDesk([says('Good.')]);
  await using terminal = openTerminal(desk, [], { columns: 40 });
  await terminal.shows(/^›$/m);

  await terminal.paste(words);
  await terminal.shows(onlyLine(words));
  await terminal.press('Home');
  await terminal.type('X');
  await terminal.shows(onlyLine(`X${words}`));
  await terminal.press('End', 'BSpace', 'BSpace', 'C-a', 'Delete', 'C-e');
  await terminal.shows(onlyLine(words.slice(0, -2)));
  await terminal.press('Home');
  await terminal.paste('in front of all of that stands this, ');
  await terminal.shows(onlyLine(`in front of all of that stands this, ${words.slice(0, -2)}`));
  await terminal.press('End', 'C-u');
  await terminal.shows(/^[^›]*›$/);
});

test('a line of wide characters that fills its rows to the last column leaves no ghost', { skip }, async () => {
  await using desk = await openDesk([says('Good.')]);
  await using terminal = openTerminal(desk, [], { columns: 40 });
  await terminal.shows(/^›$/m);

  await terminal.paste('日'.repeat(39));
  await terminal.shows(onlyLine('日'.repeat(39)));
  await terminal.press('Home');
  await terminal.type('本');
  await terminal.shows(onlyLine(`本${'日'.repeat(39)}`));
});

test('a line stays one line when the window becomes narrower and wider again', { skip }, async () => {
  await using desk = await openDesk([says('Good.')]);
  await using terminal = openTerminal(desk, [], { columns: 60 });
  await terminal.shows(/^›$/m);

  await terminal.paste(words);
  await terminal.shows(onlyLine(words));
  await terminal.resize(45);
  await terminal.press('Home');
  await terminal.type('X');
  await terminal.shows(onlyLine(`X${words}`));
  await terminal.resize(70);
  await terminal.type('Y');
  await terminal.shows(onlyLine(`XY${words}`));
});

test('a window that changes its size while an answer grows leaves the answer as it is', { skip }, async () => {
  await using desk = await openDesk([stallsAfter(900, says('One two three four five six seven eight nine ten.'))]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(/^›$/m);
  await terminal.enter('count');
  await terminal.shows(/^One two/m);

  for (const columns of [90, 80, 70]) await terminal.resizeOnly(columns);
  desk.server.release();
  const screen = await terminal.shows(/ten\.\n›$/);

  assert.equal(screen.match(/›/g)?.length, 2);
  assert.match(screen.replaceAll(/\s+/g, ' '), /› count One two three four five six seven eight nine ten\. ›$/);
});
