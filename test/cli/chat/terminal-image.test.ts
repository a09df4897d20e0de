import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from '../../support/model-script.ts';
import { makePng } from '../../support/pictures.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test(
  'in a terminal /image shows a file, a wrong name is told, and the prompt comes back each time',
  { skip },
  async () => {
    const cat = makePng(33);
    await using desk = await openDesk([says('A grey square.'), says('You are welcome.')]);
    await writeFile(join(desk.workdir, 'my cat.png'), cat);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);

    await terminal.enter('/image my');
    await terminal.shows(/my: there is no such file or folder\n›$/);
    await terminal.enter("/image 'my cat.png' what is this?");
    await terminal.shows(/A grey square\.\n›$/);
    await terminal.enter('thanks');
    await terminal.shows(/You are welcome\.\n›$/);
    await terminal.enter('/help');
    await terminal.shows(/\/image FILE \[TEXT\] shows the model a picture[\s\S]*\n›$/);

    const sent = desk.server.requests.map(({ body }) => [
      body.includes(cat.toString('base64')),
      body.includes('"text":"what is this?"'),
      body.includes('"content":"thanks"'),
    ]);
    assert.deepEqual(sent, [
      [true, true, false],
      [true, true, true],
    ]);
  },
);
