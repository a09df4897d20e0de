import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { says, staysSilent } from '../../support/model-script.ts';
import { entryPoint, openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test('while a model is silent a terminal shows life, and no trace of that stays', { skip }, async () => {
  await using desk = await openDesk([staysSilent(says('Here.'))]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);

  await terminal.enter('hello?');
  await terminal.shows(/› hello\?\nthinking…( \d+ s)?$/);
  await terminal.shows(/› hello\?\nthinking… \d+ s$/);
  await desk.server.whenStalled();
  desk.server.release();
  const screen = await terminal.shows(/Here\.\n›$/);

  assert.match(screen, /› hello\?\nHere\.\n›$/);
});

test('whoever types finds a prompt in the place of that line', { skip }, async () => {
  await using desk = await openDesk([staysSilent(says('Here.'))]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('hello?');
  await terminal.shows(/thinking…/);

  await terminal.type('and');
  const typing = await terminal.shows(/› and$/);
  await desk.server.whenStalled();
  desk.server.release();
  await terminal.shows(/output waits\) › and$/);
  await terminal.press('C-u');
  const screen = await terminal.shows(/Here\.\n›$/);

  assert.doesNotMatch(typing, /thinking/);
  assert.doesNotMatch(screen, /thinking/);
});

test('a run shows it beside its output, never in it', { skip }, async () => {
  await using desk = await openDesk([staysSilent(says('One, two, three.'))]);
  const script = `${process.execPath} ${entryPoint} run count > reply`;
  await using terminal = openTerminal(desk, ['-c', script], { program: ['/bin/sh'] });

  await terminal.shows(/^thinking…/m);
  await desk.server.whenStalled();
  desk.server.release();
  const screen = await terminal.shows(/\[ended with 0\]/);

  assert.doesNotMatch(screen, /thinking/);
  const reply = await readFile(join(desk.workdir, 'reply'), 'utf8');
  assert.equal(reply, 'One, two, three.\n');
});

for (const [what, env, args] of [
  ['a dumb terminal', { TERM: 'dumb' }, ['run', 'hi']],
  ['a quiet run', {}, ['run', '-q', 'hi']],
] as const) {
  test(`${what} shows no such line`, { skip }, async () => {
    await using desk = await openDesk([says('Hello.')]);
    await using terminal = openTerminal(desk, args, { env });

    await terminal.shows(/\[ended with 0\]/);

    assert.doesNotMatch(terminal.written, /thinking/);
  });
}

test('without colours the line is there, in none', { skip }, async () => {
  await using desk = await openDesk([staysSilent(says('Here.'))]);
  await using terminal = openTerminal(desk, [], { env: { NO_COLOR: '1' } });
  await terminal.shows(prompt);

  await terminal.enter('hello?');
  await terminal.shows(/thinking…/);
  await desk.server.whenStalled();
  desk.server.release();
  await terminal.shows(/Here\.\n›$/);

  assert.equal(terminal.written.includes('\u001b[2mthinking'), false);
});
