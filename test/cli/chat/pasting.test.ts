import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test('lines that are pasted together are one message, with what is typed behind them', { skip }, async () => {
  await using desk = await openDesk([says('Three lines.')]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);

  await terminal.paste('first line\nsecond line\nthird');
  await terminal.shows(/third$/);
  await terminal.enter(' line');
  await terminal.shows(/Three lines\.\n›$/);

  assert.match(desk.server.requests[0]?.body ?? '', /first line\\nsecond line\\nthird line/);
  assert.equal(desk.server.requests.length, 1);
});

for (const marks of ['marked', 'bare'] as const) {
  test(`the lines of a paste are words, never commands, where a paste comes ${marks}`, { skip }, async () => {
    await using desk = await openDesk([says('One.'), says('Two.')]);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);

    await terminal.paste('/yolo\n/new\nwhat do \\\nyou think?\n', marks);
    await terminal.shows(/One\.\n›$/);
    await terminal.paste('I wrote:\n/yolo\n/exit', marks);
    await terminal.shows(/\/exit$/);
    await terminal.press('Enter');
    await terminal.shows(/Two\.\n›$/);
    await terminal.paste('/title Holiday plans\n', marks);
    const screen = await terminal.shows(/This session is now called “Holiday plans”\.\n›$/);

    assert.doesNotMatch(screen, /nothing is asked|new session/);
    // A backslash at the end of a typed line says that it goes on.
    const pasted = marks === 'marked' ? 'what do \\\nyou think?' : 'what do \nyou think?';
    assert.deepEqual(
      desk.server.requests.map(({ body }, index) =>
        body.includes(JSON.stringify([`/yolo\n/new\n${pasted}`, 'I wrote:\n/yolo\n/exit'][index])),
      ),
      [true, true],
    );
  });

  test(`a paste that begins with a yes allows nothing, where a paste comes ${marks}`, { skip }, async () => {
    await using desk = await openDesk([callsTool('terminal', { command: 'touch made.txt' }), says('As you like.')]);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);
    await terminal.enter('make a file');
    await terminal.shows(/\[N\]o:$/);

    await terminal.paste('y\n/yolo\nyes\n', marks);
    await terminal.shows(/Please answer with one of the letters\.\nAllow this\? .*\[N\]o:$/);
    await terminal.enter('n');
    const screen = await terminal.shows(/As you like\.\n›$/);

    assert.equal(existsSync(join(desk.workdir, 'made.txt')), false);
    assert.doesNotMatch(screen, /nothing is asked/);
  });
}
