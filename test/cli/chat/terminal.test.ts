import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, delays, says, stallsAfter } from '../../support/model-script.ts';
import { filesWith } from '../../support/store-folder-walk.ts';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test('a chat in a terminal greets, answers, and leaves on Ctrl-D', { skip }, async () => {
  await using desk = await openDesk([says('Good morning.')]);
  await using terminal = openTerminal(desk, []);

  await terminal.shows(prompt);
  await terminal.enter('hello');
  await terminal.shows(/Good morning\.\n›$/);
  await terminal.press('C-d');
  const screen = await terminal.shows(/ended with/);

  assert.match(
    screen,
    /^Talaria \S+ · custom:scripted · ~\/work\n.*\/help.*\n› hello\nGood morning\.\n.*talaria -c\n\[ended with 0\]$/,
  );
});

test('a reply is seen while it is on its way', { skip }, async () => {
  await using desk = await openDesk([stallsAfter(900, says('One two three four five six seven eight nine ten.'))]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);

  await terminal.enter('count');
  await desk.server.whenStalled();
  const early = await terminal.shows(/^One two/m);
  desk.server.release();
  const late = await terminal.shows(/ten\.\n›$/);

  assert.doesNotMatch(early, /ten/);
  assert.equal(late.match(/One/g)?.length, 1);
});

test('Ctrl-C stops what runs and leaves the chat open', { skip }, async () => {
  await using desk = await openDesk([
    stallsAfter(900, says('One two three four five six seven eight nine ten.')),
    says('Yes?'),
  ]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('count');
  await terminal.shows(/^One two/m);

  await terminal.press('C-c');
  await terminal.shows(/Stopped\.\n›$/);
  await terminal.enter('hello?');

  await terminal.shows(/Yes\?\n›$/);
});

test('Ctrl-C at an empty prompt says how to leave, and the second one leaves', { skip }, async () => {
  await using desk = await openDesk();
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);

  await terminal.type('half a line');
  await terminal.shows(/half a line/);
  await terminal.press('C-c');
  await terminal.shows(prompt);
  await terminal.press('C-c');
  await terminal.shows(/Ctrl-C once more/);
  await terminal.press('C-c');

  await terminal.shows(/\[ended with 0\]/);
});

test(
  'consent is asked for with the whole command, nothing in it hidden, and only a yes runs it',
  { skip },
  async () => {
    const hidden = 'touch made.txt \u001b[2K\u202e';
    await using desk = await openDesk([
      callsTool('terminal', { command: hidden }),
      says('Not done.'),
      callsTool('terminal', { command: 'touch made.txt' }),
      says('Done.'),
    ]);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);

    await terminal.enter('make a file');
    const question = await terminal.shows(/\[N\]o:$/);
    await terminal.press('Enter');
    await terminal.shows(/Not done\.\n›$/);
    assert.equal(existsSync(join(desk.workdir, 'made.txt')), false);
    await terminal.enter('please');
    await terminal.shows(/touch made\.txt\nin \/.*\nAllow this\? \[y\]es once, for the \[s\]ession,.* \[N\]o:$/s);
    await terminal.enter('y');
    await terminal.shows(/Done\.\n›$/);
    await terminal.press('Up');
    await terminal.shows(/\n› please$/);

    assert.match(question, /touch made\.txt \S*1b\S*\[2K\S*202e\S*\n/i);
    assert.equal(existsSync(join(desk.workdir, 'made.txt')), true);
  },
);

test('at a question a command does its work, unclear words are none, and it is asked again', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made.txt' }), says('Done.')]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('make a file');
  await terminal.shows(/\[N\]o:$/);

  for (const [typed, answer] of [
    ['/status', /^model +custom:scripted\n[\s\S]*\nAllow this\? .*\[N\]o:$/m],
    ['/aprove', /Did you mean \/approve\?.*\nAllow this\? .*\[N\]o:$/],
    ['yes please', /yes please\nPlease answer with one of the letters\.\nAllow this\? .*\[N\]o:$/],
  ] as const) {
    await terminal.enter(typed);
    await terminal.shows(answer);
  }
  assert.equal(existsSync(join(desk.workdir, 'made.txt')), false);
  await terminal.enter('yes');
  await terminal.shows(/Done\.\n›$/);

  assert.equal(existsSync(join(desk.workdir, 'made.txt')), true);
});

test('Ctrl-C at a question stops the turn and runs nothing, and the log of consents says so', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made.txt' })]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('make a file');
  await terminal.shows(/\[N\]o:$/);
  const asked = await desk.run(['approvals', 'log']);

  await terminal.press('C-c');

  await terminal.shows(/Stopped\.\n›$/);
  assert.equal(existsSync(join(desk.workdir, 'made.txt')), false);
  assert.match(asked.stdout, / {2}- {2}not answered yet {2}touch made\.txt/);
  const over = await desk.run(['approvals', 'log']);
  assert.match(over.stdout, / {2}- {2}stopped {2}touch made\.txt/);
});

test(
  'a line typed while it works reaches the running turn, and what is printed waits and says so',
  { skip },
  async () => {
    const answer = callsTool('terminal', { command: 'cat gate' }, { text: 'One two three four five six seven eight.' });
    await using desk = await openDesk([stallsAfter(900, answer), says('Understood.')]);
    const gatePath = join(desk.workdir, 'gate');
    execFileSync('mkfifo', [gatePath]);
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);
    await terminal.enter('wait');
    await terminal.shows(/^One two/m);

    await terminal.type('only the');
    await terminal.shows(/^› only the$/m);
    desk.server.release();
    const gate = await open(gatePath, 'w'); // resolves when the command runs, so the rest of the answer has come
    const typing = await terminal.shows(/output waits/);
    await terminal.enter(' first');
    await terminal.shows(/Noted/);
    await gate.close();
    const screen = await terminal.shows(/Understood\.\n›$/);

    assert.match(typing, /\n\(output waits\) › only the$/);
    assert.doesNotMatch(typing, /eight/);
    assert.doesNotMatch(screen, /output waits/);
    assert.match(screen, /^› only the first\n.*eight\.\n• terminal {2}cat gate$/m);
    assert.match(desk.server.requests[1]?.body ?? '', /<user-message>\\nonly the first\\n<\/user-message>/);
  },
);

test('what is answered to a message that came while an answer grew is shown once', { skip }, async () => {
  await using desk = await openDesk([stallsAfter(900, says('One two three four five six seven.')), says('Plums too.')]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.enter('count');
  await terminal.shows(/^One two/m);

  await terminal.enter('and plums');
  await terminal.shows(/Noted/);
  desk.server.release();
  const screen = await terminal.shows(/Plums too\.\n›$/);
  await terminal.press('C-d');
  await terminal.shows(/ended with/);
  const { id } = (JSON.parse((await desk.run(['sessions', '--json'])).stdout) as { sessions: { id: string }[] })
    .sessions[0] as { id: string };
  const shown = await desk.run(['sessions', 'show', id]);

  assert.equal(screen.match(/Plums too/g)?.length, 1);
  assert.equal(shown.stdout.match(/Plums too/g)?.length, 1);
});

for (const [end, columns, hint] of [
  ['BSpace', 100, /\n\(output waits\) › x$/],
  ['C-c', 12, /\n\(…\) › x$/],
] as const) {
  test(`at ${columns} columns what waited for a line comes when that is erased with ${end}`, { skip }, async () => {
    await using desk = await openDesk([stallsAfter(900, says('One two three four five six seven eight.'))]);
    await using terminal = openTerminal(desk, [], { columns });
    await terminal.shows(prompt);
    await terminal.enter('count');
    await terminal.shows(/^One two/m);

    await terminal.type('x');
    await terminal.shows(/^› x$/m);
    desk.server.release();
    await terminal.shows(hint);
    await terminal.press(end);
    const screen = await terminal.shows(/eight\.\n›$/);

    assert.match(screen.replaceAll(/\s+/g, ' '), /› count One two three four five six seven eight\. ›$/);
  });
}

test('a dumb terminal is told in a line of its own that output waits', { skip }, async () => {
  await using desk = await openDesk([stallsAfter(900, says('One two three four five six seven eight.')), says('Yes.')]);
  await using terminal = openTerminal(desk, [], { env: { TERM: 'dumb' } });
  await terminal.shows(prompt);
  await terminal.enter('count');
  await terminal.shows(/^One two/m);

  await terminal.type('and');
  await terminal.shows(/^› and$/m);
  desk.server.release();
  await terminal.shows(/\n› and\n\(output waits\) › and$/);
  await terminal.enter(' then?');
  await terminal.shows(/› and then\?\n[^]*eight\.\n[^]*›$/);

  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(terminal.written, /\u001b/);
});

const prose = 'The quick brown fox jumps over the lazy dog, which does not mind at all.';
const code = 'echo a line of code that is longer than the terminal is wide';

for (const columns of [12, 40]) {
  test(
    `at ${columns} columns an answer breaks between words while it comes, and code is left alone`,
    { skip },
    async () => {
      const answer = `${prose}\n\`\`\`\n${code}\n\`\`\`\n漢字かな混じりの文も折り返される。\nEnd.`;
      await using desk = await openDesk([stallsAfter(1500, says(answer))]);
      await using terminal = openTerminal(desk, [], { columns });
      await terminal.shows(prompt);

      await terminal.enter('tell');
      await desk.server.whenStalled();
      const early = await terminal.shows(/^The quick/m);
      desk.server.release();
      const screen = await terminal.shows(/End\.\n›$/);

      assert.doesNotMatch(early, /End/);
      const lines = /› tell\n([^]*)\necho a [^]*wide\n([^]*)\nEnd\.\n›$/.exec(screen);
      assert.equal(lines?.[1]?.replaceAll('\n', ' '), prose);
      assert.equal(lines?.[2]?.replaceAll('\n', ''), '漢字かな混じりの文も折り返される。');
      assert.equal(terminal.written.includes(code), true);
    },
  );
}

test('the bare word exit leaves a chat in which nothing is unfinished', { skip }, async () => {
  await using desk = await openDesk();
  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);

  await terminal.enter('exit');
  const screen = await terminal.shows(/ended with/);

  assert.match(screen, /\n› exit\n\[ended with 0\]$/);
  assert.equal(desk.server.requests.length, 0);
  assert.deepEqual(JSON.parse((await desk.run(['sessions', '--json'])).stdout), { ok: true, sessions: [], more: 0 });
});

for (const columns of [40, 60, 100]) {
  test(`at ${columns} columns the first lines of a chat break between words`, { skip }, async () => {
    await using desk = await openDesk();
    await desk.setConfig({ model: { provider: 'demo' } });
    await using terminal = openTerminal(desk, [], { columns });

    const screen = await terminal.shows(prompt);

    const words = screen.split(/\s+/);
    for (const word of [
      'commands,',
      'offline',
      'connect',
      'OPENAI_API_KEY,',
      'OPENROUTER_API_KEY',
      'environment',
      'Ollama.',
    ])
      assert.equal(words.includes(word), true, `${word} in\n${screen}`);
  });
}

test('the arrow keys bring back what was said in earlier chats, and nothing of a deleted one', { skip }, async () => {
  await using desk = await openDesk([says('One.'), says('Two.'), says('Three.')]);
  await desk.run(['run', 'first thing']);
  await desk.run(['run', 'two\nlines']);
  {
    await using terminal = openTerminal(desk, []);
    await terminal.shows(prompt);
    await terminal.press('Up');
    await terminal.shows(/^› first thing$/m);
    await terminal.press('C-c');
    await terminal.enter('second thing');
    await terminal.shows(/Three\.\n›$/);
    await terminal.press('C-d');
    await terminal.shows(/ended with/);
  }
  const { sessions } = JSON.parse((await desk.run(['sessions', '--json'])).stdout) as { sessions: { id: string }[] };

  await desk.run(['sessions', 'delete', '-y', sessions[0]?.id ?? '']);

  await using terminal = openTerminal(desk, []);
  await terminal.shows(prompt);
  await terminal.press('Up');
  await terminal.shows(/^› first thing$/m);
  assert.deepEqual(filesWith(desk.home, ['second thing']), []);
});

test('-c shows the last turn again, once, and goes on from there', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'echo hi' }), says('Done.'), says('More.')]);
  await desk.run(['run', 'say hi']);
  await using terminal = openTerminal(desk, ['-c']);

  const screen = await terminal.shows(/Done\.\n›$/);
  await terminal.enter('more');
  await terminal.shows(/More\.\n›$/);

  assert.match(screen, /› say hi\n• terminal {2}echo hi\n {2}✓ hi\nDone\.\n›$/);
});

for (const [what, env] of [
  ['without colours', { NO_COLOR: '1' }],
  ['on a dumb terminal', { TERM: 'dumb' }],
] as const) {
  test(`a chat ${what} uses no colours`, { skip }, async () => {
    await using desk = await openDesk([callsTool('terminal', { command: 'echo hi' }), says('Done.')]);
    await using terminal = openTerminal(desk, [], { env, columns: 30 });
    await terminal.shows(prompt);

    await terminal.enter('say hi');
    await terminal.shows(/Done\.\n›$/);

    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(terminal.written, /\u001b\[[\d;]*m/);
    // oxlint-disable-next-line no-control-regex
    if (env.TERM === 'dumb') assert.doesNotMatch(terminal.written, /\u001b/);
  });
}

test('a one-shot in a terminal asks for consent too', { skip }, async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made.txt' }), says('Done.')]);
  await using terminal = openTerminal(desk, ['run', 'make a file']);

  await terminal.shows(/touch made\.txt\nin \/.*\nAllow this\? \[y\]es once, for the \[s\]ession,.* \[N\]o:$/s);
  await terminal.enter('yes');
  const screen = await terminal.shows(/ended with/);

  assert.match(screen, /Done\.\n\[ended with 0\]$/);
  assert.equal(existsSync(join(desk.workdir, 'made.txt')), true);
});

test('what was typed before a one-shot asks is no answer, and neither is what is pasted', { skip }, async () => {
  const gate = Promise.withResolvers<void>();
  await using desk = await openDesk([
    delays(gate.promise, callsTool('terminal', { command: 'touch made.txt' })),
    says('As you wish.'),
  ]);
  await using terminal = openTerminal(desk, ['run', 'make a file']);
  await desk.server.whenRequested(1);

  await terminal.enter('y');
  gate.resolve();
  await terminal.shows(/\[N\]o:$/);
  await terminal.paste('y\nls\n');
  await terminal.shows(/What is pasted is no answer\.\n.*\[N\]o:$/s);
  await terminal.paste('y\nls\n', 'bare');
  await terminal.shows(/(What is pasted is no answer\.[^]*){2}\[N\]o:$/);
  await terminal.enter('n');
  await terminal.shows(/As you wish\.\n\[ended with 0\]$/);

  assert.equal(existsSync(join(desk.workdir, 'made.txt')), false);
});
