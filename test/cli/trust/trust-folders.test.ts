import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, realpathSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openDesk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';
import { says } from '../../support/model-script.ts';

test('talaria trust trusts the folder that it is given in, says what is read there, and lists it', async () => {
  await using desk = await openDesk([]);
  const workdir = realpathSync(desk.workdir);
  writeFileSync(join(workdir, 'AGENTS.md'), 'Use tabs.\u200B\u200B');

  const none = await desk.run(['trust', 'list']);
  const trusted = await desk.run(['trust', '-y']);
  const again = await desk.run(['trust', 'add', workdir]);
  const listed = await desk.run(['trust', 'list', '--json']);

  assert.equal(none.stdout, 'No folder is trusted. In the folder of a project: talaria trust\n');
  assert.match(trusted.stdout, /^.*\/work is trusted from now on, with everything below it\.\n/);
  assert.match(trusted.stdout, /\n {2}AGENTS\.md, without 2 invisible characters in it: look at where it comes from\n/);
  assert.match(again.stdout, / is trusted already, /);
  const { folders } = JSON.parse(listed.stdout) as { folders: readonly { path: string; since: string }[] };
  assert.deepEqual(
    folders.map(({ path }) => path),
    [workdir],
  );
  assert.match(folders[0]?.since ?? '', /^\d{4}-\d\d-\d\dT/);
});

test('talaria trust shows the programs that the MCP servers of a project are, with all that decides what runs', async () => {
  await using desk = await openDesk([]);
  const workdir = realpathSync(desk.workdir);
  const file = join(workdir, '.mcp.json');
  const sea = { command: './sea', args: ['-c', 'rm -rf x'], env: { NODE_OPTIONS: '--require ./x.js' } };
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { sea, tides: { type: 'http', url: 'https://tides.example/mcp' } } }),
  );

  const untrusted = await desk.run(['mcp', 'list']);
  const trusted = await desk.run(['trust', '-y']);
  const listed = await desk.run(['mcp', 'list']);
  writeFileSync(file, '{');
  const broken = await desk.run(['trust', '-y']);

  assert.match(untrusted.stdout, /^There is no MCP server/);
  const shown = `  sea: NODE_OPTIONS="--require ./x.js" ./sea -c "rm -rf x" (in ${workdir})\n  tides: https://tides.example/mcp\n`;
  assert.ok(trusted.stdout.includes(`a change of the file counts once you trust it again:\n${shown}`), trusted.stdout);
  assert.match(listed.stdout, /^tides {2}https:\/\/tides\.example\/mcp {2}\(of .*\/work\)$/m);
  assert.match(broken.stdout, /^\.mcp\.json is not used: it has no mcpServers$/m);
});

test(
  'talaria trust shows what would count, and then asks; what changes while it asks is not trusted',
  { skip: noTerminal },
  async () => {
    await using desk = await openDesk([]);
    const workdir = realpathSync(desk.workdir);
    const file = join(workdir, '.mcp.json');
    writeFileSync(join(workdir, 'AGENTS.md'), 'Use tabs.');
    writeFileSync(file, JSON.stringify({ mcpServers: { sea: { command: './sea' } } }));

    await using denied = openTerminal(desk, ['trust']);
    await denied.shows(/Once .*work is trusted[^]*AGENTS\.md[^]*sea: \.\/sea [^]*Trust this folder\? \[y\/N\]/);
    await denied.press('Enter');
    await denied.shows(/Nothing was trusted\.\n\[ended with 1\]/);
    const untouched = await desk.run(['trust', 'list']);
    await using agreed = openTerminal(desk, ['trust']);
    await agreed.shows(/Trust this folder\?/);
    writeFileSync(file, JSON.stringify({ mcpServers: { sea: { command: './shark' } } }));
    await agreed.enter('y');
    await agreed.shows(/is trusted from now on, with everything below it\.[^]*\[ended with 0\]/);
    const changed = await desk.run(['mcp', 'list']);
    const again = await desk.run(['trust', '-y']);

    assert.match(untouched.stdout, /^No folder is trusted/);
    assert.match(changed.stdout, /^There is no MCP server/);
    assert.match(again.stdout, /is trusted as it is now[^]*sea: \.\/shark /);
  },
);

test('where nobody can be asked talaria trust needs -y, but not for what is trusted as it is', async () => {
  await using desk = await openDesk([]);

  const refused = await desk.run(['trust'], { input: 'y\n' });
  const listed = await desk.run(['trust', 'list']);
  await desk.run(['trust', '--yes']);
  const known = await desk.run(['trust']);

  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /nobody can be asked here; say -y to trust the folder without being asked/);
  assert.match(listed.stdout, /^No folder is trusted/);
  assert.equal(known.code, 0);
});

test('the root, the home folder, what is around it, and a folder that all can write to are trusted only with --everything', async () => {
  await using desk = await openDesk([]);
  const userHome = desk.env['HOME'] ?? '';
  const open = join(desk.workdir, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);

  for (const [folder, reason] of [
    ['/', /root of the file system/],
    [userHome, /it is your home folder/],
    [dirname(userHome), /your home folder is in it/],
    [open, /every user of this machine/],
  ] as const) {
    const { code, stderr } = await desk.run(['trust', folder]);
    assert.equal(code, 2);
    assert.match(stderr, reason);
    assert.match(stderr, /talaria trust --everything FOLDER/);
  }
  const listed = await desk.run(['trust', 'list']);
  const meant = await desk.run(['trust', '-y', '--everything', userHome]);

  assert.match(listed.stdout, /^No folder is trusted/);
  assert.equal(meant.code, 0);
});

test('a folder that is no longer trusted is off the list, also when it is gone; one that is trusted through another says so', async () => {
  await using desk = await openDesk([]);
  const sub = join(desk.workdir, 'sub');
  mkdirSync(sub);
  await desk.run(['trust', '-y']);
  await desk.run(['trust', '-y', sub]);

  const still = await desk.run(['trust', 'remove', 'sub']);
  const through = await desk.run(['trust', 'remove', 'sub']);
  await desk.run(['trust', '-y', sub]);
  rmdirSync(sub);
  const gone = await desk.run(['trust', 'rm', 'sub']);
  const removed = await desk.run(['trust', 'remove', '.']);
  const unknown = await desk.run(['trust', 'remove', '.']);
  const listed = await desk.run(['trust', 'ls']);

  assert.match(still.stdout, /sub is off the list\. It still is trusted through .*\/work: talaria trust remove /);
  assert.deepEqual([through.code, unknown.code], [1, 1]);
  assert.match(through.stderr, /sub is trusted through .*\/work: talaria trust remove /);
  assert.match(gone.stdout, /sub is off the list/);
  assert.match(removed.stdout, /work is no longer trusted; /);
  assert.match(unknown.stderr, /work is not trusted/);
  assert.match(listed.stdout, /^No folder is trusted/);
});

test('a folder that does not exist, and a list that is broken, are said', async () => {
  await using desk = await openDesk([]);
  const nowhere = await desk.run(['trust', 'nowhere']);
  writeFileSync(join(desk.home, 'state', 'trusted-folders.json'), '{');

  const broken = await desk.run(['trust', 'list']);

  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /there is no folder .*nowhere/);
  assert.equal(broken.code, 78);
  assert.match(broken.stderr, /trusted-folders\.json cannot be used, so that no folder is trusted/);
});

test('a run in a folder that is not trusted says so on stderr; once it is, the model reads its file', async () => {
  await using desk = await openDesk([says('One.'), says('Two.')]);
  writeFileSync(join(desk.workdir, 'CLAUDE.md'), 'Sing of larks.');

  const before = await desk.run(['run', 'hello']);
  await desk.run(['trust', '-y']);
  const after = await desk.run(['run', 'hello']);

  const line = /CLAUDE\.md is not read: .*\/work is not trusted\. To trust it: talaria trust .*\/work\n/;
  assert.match(before.stderr, line);
  assert.doesNotMatch(after.stderr, line);
  assert.deepEqual(
    desk.server.requests.map(({ body }) => body.includes('Sing of larks.')),
    [false, true],
  );
});
