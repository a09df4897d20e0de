import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openGatewayDesk } from '../gateway/gateway-desk.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const skip = noTerminal;
const prompt = /^›$/m;

test('while the gateway is away nothing is said to run, and once it is back what runs is', { skip }, async () => {
  await using bench = await openGatewayDesk([callsTool('terminal', { command: 'cat gate' }), says('All done.')], []);
  const gatePath = join(bench.desk.workdir, 'gate');
  execFileSync('mkfifo', [gatePath]);
  const gateway = await bench.start();
  await using terminal = openTerminal(bench.desk, []);
  await terminal.shows(prompt);
  await terminal.enter('/yolo on');
  await terminal.shows(/nothing is asked[\s\S]*\n›$/);
  await terminal.enter('wait');
  const gate = await open(gatePath, 'w'); // resolves when the command runs
  await terminal.shows(/running `cat gate`, \d+ s$/);

  gateway.child.kill('SIGKILL');
  await gateway.ended;
  await terminal.shows(/Looking for it again…$/);
  const before = terminal.written.length;
  await bench.start();
  await terminal.shows(/The gateway is back\.\n(?:.*\n)*.*`?cat gate`?/);
  const away = terminal.written.slice(before, terminal.written.indexOf('The gateway is back'));
  await gate.close();

  await terminal.shows(/All done\.\n›$/);
  assert.doesNotMatch(away, /running/);
});
