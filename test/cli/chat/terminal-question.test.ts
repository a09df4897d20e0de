import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;
const asked = /Which colour\?\n {2}1\. {2}red\n {2}2\. {2}blue\nAnswer with a number, or in your own words\.\n/;
const doubted = new RegExp(
  `${asked.source}That was not taken in: the choices are 1 to 2; say 7 once more[^]*Your answer:$`,
);
const waiting = new RegExp(`${asked.source}Your answer:$`);

test(
  'a question of the model waits at a prompt, is there once after talaria -c, and takes a number that it has',
  { skip },
  async () => {
    await using desk = await openDesk([
      callsTool('clarify', { question: 'Which colour?', choices: ['red', 'blue'] }),
      says('Blue it is.'),
    ]);
    await using first = openTerminal(desk, []);
    await first.shows(prompt);
    await first.enter('paint the door');
    await first.shows(waiting);
    await first.press('C-d');
    const left = await first.shows(/ended with/);

    await using second = openTerminal(desk, ['-c']);
    const resumed = await second.shows(waiting);
    await second.enter('/title The door');
    await second.shows(/is now called “The door”\.\nYour answer:$/);
    await second.enter('7');
    await second.shows(doubted);
    await second.enter('2');
    const screen = await second.shows(/Blue it is\.\n›$/);

    assert.match(left, /talaria -c\n\[ended with 0\]$/);
    assert.equal(resumed.match(/Which colour/g)?.length, 1);
    assert.match(screen, /Your answer: 2\n {2}✓ The user answers: blue\nBlue it is\.\n›$/);
  },
);

test('Ctrl-C takes back what was typed as an answer, and once more it stops', { skip }, async () => {
  await using desk = await openDesk([callsTool('clarify', { question: 'Why?' })]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('go');
  await terminal.shows(/Why\?\nYour answer:$/);

  await terminal.type('because');
  await terminal.shows(/because$/);
  await terminal.press('C-c');
  await terminal.shows(/Why\?\nYour answer:$/);
  await terminal.press('C-c');

  await terminal.shows(/Stopped\.\n›$/);
});
