import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test('on a narrow screen a question is answered in one row, whatever waits behind it', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made' }), says('Done.')]);
  await using terminal = openTerminal(desk, [], { columns: 50 });
  await terminal.shows(prompt);
  await terminal.enter('make it');

  await terminal.shows(/\n\[y\]es, \[s\]ession, \[a\]lways, \[N\]o:$/);
  await terminal.enter('y');

  await terminal.shows(/\[N\]o: y\n[\s\S]*Done\.\n›$/);
});

test(
  'at a question s allows for the session and a allows for good, which talaria approvals lists',
  { skip },
  async () => {
    const calls = ['touch made.txt; touch made.txt', 'touch made.txt'].flatMap((command) => [
      callsTool('terminal', { command }),
      callsTool('terminal', { command }),
      says('Done.'),
    ]);
    await using desk = await openDesk(calls);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);

    await terminal.enter('twice');
    await terminal.shows(/Session is for: exactly this, in this folder\n.*\[y\]es once, for the \[s\]ession, \[N\]o:$/);
    await terminal.enter('s');
    await terminal.shows(/Done\.\n›$/);
    await terminal.enter('and plainly');
    await terminal.shows(/\[a\]lways, \[N\]o:$/);
    await terminal.enter('a');
    await terminal.shows(/Done\.\n[\s\S]*Done\.\n›$/);
    await terminal.press('C-d');
    await terminal.shows(/ended with/);

    const listed = await desk.run(['approvals', 'list']);
    assert.match(listed.stdout, /^[0-9a-f]{8} {2}\d{4}-\d\d-\d\d {2}owner {2}touch made\.txt \(\/.*\) in \/.*\n$/);
  },
);
