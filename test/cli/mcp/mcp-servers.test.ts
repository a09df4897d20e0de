import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { isRunning } from '../../support/processes.ts';
import { openDesk } from '../support/program.ts';

const program = join(import.meta.dirname, '..', '..', 'support', 'mcp-peer.ts');

function behind(behaviour: string, notes: string): readonly string[] {
  return ['--', process.execPath, program, behaviour, notes];
}

test('talaria mcp add connects first, lists the tools and writes the settings; list, test and remove know it then', async () => {
  await using desk = await openDesk([]);
  const none = await desk.run(['mcp']);

  const added = await desk.run(['mcp', 'add', 'sea', '--env', 'A=${HOME}', ...behind('usual', desk.workdir)]);
  const listed = await desk.run(['mcp', 'list', '--json']);
  const tested = await desk.run(['mcp', 'test', 'sea']);
  const removed = await desk.run(['mcp', 'remove', 'sea']);
  const after = await desk.run(['mcp', 'list', '--json']);

  assert.match(none.stdout, /^There is no MCP server in the settings\./);
  assert.match(added.stdout, /^sea answers, with 9 tools:\n {2}echo {2}Does echo\.\n/);
  assert.match(added.stdout, /sea is added\. Written to .*; a Talaria that runs takes it up with its next message\./);
  const { servers } = JSON.parse(listed.stdout) as { servers: readonly { name: string; trust: string }[] };
  assert.deepEqual(
    servers.map(({ name, trust }) => [name, trust]),
    [['sea', 'nothing']],
  );
  assert.match(tested.stdout, /^sea answers, with 9 tools:/);
  assert.equal(removed.code, 0);
  assert.deepEqual((JSON.parse(after.stdout) as { servers: unknown }).servers, []);
  const pids = readFileSync(join(desk.workdir, 'starts'), 'utf8').trim().split('\n').map(Number);
  assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false]);
});

test('a server that does not answer is not added, and the reason is what it said itself', async () => {
  await using desk = await openDesk([]);

  const { code, stderr } = await desk.run(['mcp', 'add', 'sea', ...behind('dies', desk.workdir)]);
  const listed = await desk.run(['mcp', 'list', '--json']);

  assert.equal(code, 1);
  assert.equal(stderr, 'talaria: sea was not added: it ended with exit code 3: the battery is empty\n');
  assert.deepEqual((JSON.parse(listed.stdout) as { servers: unknown }).servers, []);
});

for (const [args, problem] of [
  [['add', 'b d', '--', 'x'], /a name has letters, digits, _ and -/],
  [['add', 'file', '--no-check', '--', 'x'], /the MCP server file is not used: a toolset of ours has that name/],
  [['add', 'sea'], /name a program behind --, or an address with --url/],
  [['add', 'sea', '--url', 'http://127.0.0.1:1', '--', 'x'], /a program or an address, not both/],
  [['add', 'sea', '--env', 'A', '--', 'x'], /"A" is not NAME=VALUE/],
  [['add', 'sea', '--timeout', 'long', '--', 'x'], /must be a whole number/],
  [['remove', 'sea'], /there is no MCP server sea/],
  [['test', 'sea'], /there is no MCP server sea/],
  [['login', 'sea'], /there is no MCP server sea/],
  [['logout', 'sea'], /there is no MCP server sea/],
] as const) {
  test(`talaria mcp ${args.join(' ')} changes nothing and says why`, async () => {
    await using desk = await openDesk([]);

    const { code, stderr } = await desk.run(['mcp', ...args]);

    assert.notEqual(code, 0);
    assert.match(stderr, problem);
  });
}

test('a server in the settings that has the name of a toolset of ours is told by list, test and doctor', async () => {
  await using desk = await openDesk([]);
  await desk.setConfig({ model: { provider: 'demo' }, mcp_servers: { file: { command: process.execPath } } });

  const listed = await desk.run(['mcp', 'list']);
  const tested = await desk.run(['mcp', 'test', 'file']);
  const doctor = await desk.run(['doctor']);

  assert.match(listed.stderr, /the MCP server file is not used: a toolset of ours has that name/);
  assert.deepEqual([tested.code, tested.stdout], [1, 'file: it is not used: a toolset of ours has that name\n']);
  assert.match(doctor.stdout, /file +it is not used: a toolset of ours has that name\n.*talaria mcp remove file/);
});

test('talaria run uses the tools of an added server, and leaves no process behind', async () => {
  await using desk = await openDesk([callsTool('mcp_sea_echo', { text: 'ahoy' }), says('Done.')]);
  await desk.run(['mcp', 'add', 'sea', '--trust', '--no-check', ...behind('stubborn', desk.workdir)]);

  const { stdout, code } = await desk.run(['run', 'call the sea']);

  assert.deepEqual([stdout, code], ['Done.\n', 0]);
  assert.match(desk.server.requests[1]?.body ?? '', /\\nahoy\\n/);
  assert.equal(await isRunning(Number(readFileSync(join(desk.workdir, 'starts'), 'utf8'))), false);
});
