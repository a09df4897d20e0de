import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLaunchd } from '../../../src/cli/service/launchd.ts';
import { createRunProgram } from '../../../src/cli/service/run-program.ts';
import type { ServiceKeeper } from '../../../src/cli/service/service-keeper.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const launchctl = `#!/bin/bash
echo "$*" >>"$FAKE_RECORD"
case "$*" in
  'print gui/501') ;;
  print*) test -e "$FAKE_RECORD.loaded" ;;
  bootstrap*) touch "$FAKE_RECORD.loaded" ;;
  bootout*) rm "$FAKE_RECORD.loaded" ;;
esac
`;

interface Mac extends AsyncDisposable {
  readonly service: ServiceKeeper;
  /** What was called, without questions. */
  calls(): Promise<readonly string[]>;
}

async function openMac(): Promise<Mac> {
  const temp = await makeTempFolder();
  const record = join(temp.path, 'calls');
  const bin = join(temp.path, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'launchctl'), launchctl);
  await chmod(join(bin, 'launchctl'), 0o755);
  const facts = {
    node: '/usr/local/bin/node',
    script: '/usr/local/lib/talaria.js',
    home: join(temp.path, '.talaria'),
    logs: join(temp.path, '.talaria', 'logs'),
    userHome: temp.path,
    user: 'anna',
    uid: 501,
    path: '/usr/bin',
    configFolder: undefined,
    language: undefined,
    drainMs: 60_000,
    drainFrom: 'settings' as const,
  };
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, FAKE_RECORD: record };
  return {
    service: openLaunchd(facts, createRunProgram(env)),
    async calls() {
      const lines = (await readFile(record, 'utf8')).split('\n');
      return lines.filter((line) => line !== '' && !line.startsWith('print'));
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

test('on a Mac the agent is loaded, renewed, started, stopped and removed, by the calls that a launchctl for tests records', async () => {
  await using mac = await openMac();
  const { service } = mac;

  assert.equal(await service.problem(), undefined);
  assert.deepEqual(await service.state(), { file: 'none', isEnabled: false });
  await service.install();
  assert.deepEqual(await service.state(), { file: 'current', isEnabled: true });
  await service.install();
  await service.start();
  await service.stop();
  await service.uninstall();

  assert.equal(service.unit, 'org.talaria.gateway');
  assert.ok(!existsSync(service.path));
  assert.deepEqual(await mac.calls(), [
    `bootstrap gui/501 ${service.path}`,
    'bootout gui/501/org.talaria.gateway',
    `bootstrap gui/501 ${service.path}`,
    'kickstart gui/501/org.talaria.gateway',
    'kill SIGTERM gui/501/org.talaria.gateway',
    'bootout gui/501/org.talaria.gateway',
  ]);
});
