import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { probeSandbox } from '../../../src/tools/sandbox/probe-sandbox.ts';
import { installCommand } from '../../../src/tools/install-command.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

test('without bubblewrap the report says what to install', { skip: notLinux() }, async () => {
  await using folder = await makeTempFolder();

  const report = await probeSandbox(folder.path);

  assert.equal(report.type, 'missing');
  assert.equal(report.type === 'missing' && report.reason, 'the program bwrap is not installed');
  assert.equal(report.type === 'missing' && report.fix, installCommand({ name: 'bubblewrap' }));
});

test('a bubblewrap that the system refuses counts as none, with its own words', { skip: notLinux() }, async () => {
  await using folder = await makeTempFolder();
  const program = join(folder.path, 'bwrap');
  const refusal = 'bwrap: No permissions to create new namespace';
  await writeFile(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9.9 || { echo "${refusal}" >&2; exit 1; }\n`,
  );
  await chmod(program, 0o755);

  const report = await probeSandbox(folder.path);

  assert.equal(report.type, 'missing');
  assert.match(report.type === 'missing' ? report.reason : '', /No permissions to create new namespace/);
});

test('where bubblewrap works, the report names its version and its path', { skip: await missing() }, async () => {
  const report = await probeSandbox();

  assert.equal(report.type, 'available');
  assert.match(report.type === 'available' ? report.version : '', /^\d+\.\d+/);
  assert.match(report.type === 'available' ? report.program : '', /^\/.*bwrap$/);
});

function notLinux(): string | false {
  return process.platform === 'linux' ? false : 'bubblewrap is for Linux';
}

async function missing(): Promise<string | false> {
  const report = await probeSandbox();
  return report.type === 'missing' ? report.reason : false;
}
