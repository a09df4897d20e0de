import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const answer =
  '# Plan\n\nDo **this** first:\n\n- one\n- two\n\n```sh\nls **\n```\n\n| a | b |\n|---|--:|\n| x | 10 |\n\nDone.';

test('a chat shows Markdown as what it means, while it comes and when it is shown again', { skip }, async () => {
  await using desk = await openDesk([says(answer)]);
  const expected = /\nPlan\n\nDo this first:\n\n• one\n• two\n\nsh\nls \*\*\n\na {3}b\n─+\nx {2}10\n\nDone\.\n/;

  {
    await using terminal = openTerminal(desk, []);
    await terminal.shows(/^›$/m);
    await terminal.enter('hello');
    await terminal.shows(expected);
    assert.ok(terminal.written.includes('\u001b[1mthis\u001b[22m'));
    await terminal.press('C-d');
    await terminal.shows(/ended with 0/);
  }
  await using again = openTerminal(desk, ['-c']);
  await again.shows(expected);
});

test('a chat without colours lays an answer out all the same, and paints nothing', { skip }, async () => {
  await using desk = await openDesk([says(`${answer} Run \`ls\`.`)]);
  await using terminal = openTerminal(desk, [], { env: { NO_COLOR: '1' } });

  await terminal.shows(/›\s*$/);
  await terminal.enter('hello');
  await terminal.shows(/\nPlan\n\nDo this first:\n\n• one\n• two\n\n[^]*\na {3}b\n─+\nx {2}10\n\nDone\. Run `ls`\.\n/);

  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(terminal.written, /\u001b\[[\d;]*m/);
});

test('a chat on a dumb terminal shows an answer as it is', { skip }, async () => {
  await using desk = await openDesk([says(answer)]);
  await using terminal = openTerminal(desk, [], { env: { TERM: 'dumb' } });

  await terminal.shows(/›\s*$/);
  await terminal.enter('hello');
  const screen = await terminal.shows(/Done\./);

  assert.ok(screen.includes(answer), screen);
});
