import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { ProcessPort } from '../../../src/cli/app-port.ts';
import { ChatScreen } from '../../../src/cli/chat/chat-screen.ts';
import { completeCommand } from '../../../src/cli/chat/complete-command.ts';
import { findCommand } from '../../../src/gateway/commands.ts';
import { says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

test('a command is completed by its name, or by another name of it where no name begins so', () => {
  const completed: readonly (readonly [string, readonly string[]])[] = [
    ['/he', ['/help ']],
    ['/HE', ['/help ']],
    ['/re', ['/reasoning', '/reload-mcp', '/restart', '/resume', '/retry']],
    ['/clea', ['/clear ']],
    ['/reload_', ['/reload_mcp ']],
    ['/e', ['/exit ']],
    ['/qui', ['/quit ']],
    ['/etc', []],
  ];

  for (const [line, candidates] of completed) assert.deepEqual(completeCommand(line), [candidates, line]);
  const all = completeCommand('/')[0];
  assert.deepEqual(
    all.filter((name) => findCommand(name.slice(1)) === undefined),
    ['/exit', '/image'],
  );
});

test('in a line that is no command a Tab stays a Tab', () => {
  for (const line of ['', 'if x:', '/model ', '/etc/hosts', ' /he']) {
    assert.deepEqual(completeCommand(line), [[`${line}\t`], line]);
  }
});

const nothing = (): void => undefined;

test('a Tab that comes last in a piece of a paste stays a Tab', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const entered = Promise.withResolvers<string>();
  const others = { pasted: nothing, interrupt: nothing, end: nothing, beforeTyping: nothing, afterTyping: nothing };
  const process = { stdin, stdout, env: { TERM: 'xterm' } } as unknown as ProcessPort;
  using _screen = new ChatScreen({ process, history: [], events: { line: entered.resolve, ...others } });

  for (const piece of ['\u001B[200~/he\t', '\u001B[201~', '\r']) stdin.write(piece);

  assert.equal(await entered.promise, '/he\t');
});

test(
  'Tab completes a command, the second one shows what it can be, and neither changes words',
  { skip: noTerminal },
  async () => {
    await using desk = await openDesk([says('Good.'), says('Again.')]);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(/^›$/m);

    // Each key for itself: a Tab in the midst of a piece is a part of that.
    await terminal.type('/RES');
    await terminal.shows(/› \/RES$/);
    await terminal.press('Tab');
    await terminal.shows(/› \/res$/);
    await terminal.press('Tab');
    await terminal.shows(/› \/res\n\/restart +\/resume *\n+› \/res$/);
    await terminal.press('C-u');
    await terminal.shows(/›$/);
    await terminal.type('/sta');
    await terminal.shows(/› \/sta$/);
    await terminal.press('Tab');
    await terminal.shows(/› \/status$/);
    await terminal.press('Enter');
    await terminal.shows(/^› \/status\n[^]*^model [^]*\n›$/m);
    await terminal.type('if x:');
    await terminal.shows(/› if x:$/);
    await terminal.press('Tab');
    await terminal.enter('go');
    await terminal.shows(/Good\.\n›$/);
    await terminal.paste('/he\t\nmore');
    await terminal.press('Enter');
    await terminal.shows(/Again\.\n›$/);

    const [typed, pasted] = desk.server.requests.map(({ body }) => body);
    assert.ok(typed?.includes(String.raw`if x:\tgo`));
    assert.ok(pasted?.includes(String.raw`/he\t\nmore`));
  },
);
