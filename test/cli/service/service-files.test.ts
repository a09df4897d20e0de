import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { renderPlist } from '../../../src/cli/service/render-plist.ts';
import { renderUnit } from '../../../src/cli/service/render-unit.ts';
import type { ServiceFacts } from '../../../src/cli/service/service-keeper.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const run = promisify(execFile);

/** Everything in a path that a service file could misread. */
const awkward = `a b"c\\d%h $HOME 'x' <&>`;

function factsIn(folder: string): ServiceFacts {
  return {
    node: process.execPath,
    script: join(folder, 'talaria.js'),
    home: folder,
    logs: join(folder, 'logs'),
    userHome: '/home/anna',
    user: 'anna',
    uid: 1000,
    path: '/usr/bin:/opt/with space',
    configFolder: undefined,
    language: 'C.UTF-8',
    drainMs: 60_000,
    drainFrom: 'settings',
  };
}

const analyze = '/usr/bin/systemd-analyze';
const noAnalyze = existsSync(analyze) ? false : 'systemd-analyze is not installed';

test('the systemd unit passes systemd-analyze verify, whatever is in the paths', { skip: noAnalyze }, async () => {
  await using temp = await makeTempFolder();
  const folder = join(temp.path, awkward);
  await mkdir(folder);
  const version = Number(/^systemd (\d+)/.exec((await run(analyze, ['--version'])).stdout)?.[1]);
  const path = join(temp.path, 'talaria-gateway.service');
  await writeFile(path, renderUnit({ ...factsIn(folder), unit: 'talaria-gateway.service', systemdVersion: version }));

  const verified = await run(analyze, ['verify', '--user', '--man=no', '--recursive-errors=no', path], {
    env: { XDG_RUNTIME_DIR: temp.path, HOME: temp.path },
  });

  assert.deepEqual(verified, { stdout: '', stderr: '' });
});

test('a word of the unit is quoted so that systemd reads it as it was', () => {
  const text = renderUnit({ ...factsIn(`/${awkward}\n`), unit: 'talaria-gateway.service', systemdVersion: 252 });

  assert.ok(text.includes(String.raw`Environment="TALARIA_HOME=/a b\"c\\d%%h $HOME 'x' <&>\x0a"`));
  assert.ok(text.includes('Environment="PATH=/usr/bin:/opt/with space"'));
});

function unitFor(systemdVersion: number): string {
  return renderUnit({ ...factsIn('/home/anna/.talaria'), unit: 'talaria-gateway.service', systemdVersion });
}

test('pauses between restarts grow where systemd knows how', () => {
  assert.match(unitFor(254), /^RestartSec=2\nRestartSteps=8\nRestartMaxDelaySec=300$/m);
  assert.match(unitFor(253), /^RestartSec=5$/m);
  assert.doesNotMatch(unitFor(253), /RestartSteps/);
});

// The structure that Apple's document type describes, as far as a service uses it.
const documentType = `
<!ELEMENT plist (dict)> <!ATTLIST plist version CDATA "1.0">
<!ELEMENT dict (key, (string | integer | true | false | array | dict))*>
<!ELEMENT array (string | integer | true | false | array | dict)*>
<!ELEMENT key (#PCDATA)> <!ELEMENT string (#PCDATA)> <!ELEMENT integer (#PCDATA)>
<!ELEMENT true EMPTY> <!ELEMENT false EMPTY>
`;

const xmllint = '/usr/bin/xmllint';
const noXmllint = existsSync(xmllint) ? false : 'xmllint is not installed';

test('the launchd plist is valid and says what was meant, whatever is in the paths', { skip: noXmllint }, async () => {
  await using temp = await makeTempFolder();
  const path = join(temp.path, 'talaria.plist');
  const dtd = join(temp.path, 'plist.dtd');
  await writeFile(dtd, documentType);
  await writeFile(path, renderPlist('org.talaria.gateway', factsIn(`/${awkward}`)));

  await run(xmllint, ['--noout', '--nonet', '--dtdvalid', dtd, path]);
  const valueOf = async (key: string): Promise<string> => {
    const query = `string(//key[.="${key}"]/following-sibling::*[1])`;
    return (await run(xmllint, ['--nonet', '--xpath', query, path])).stdout.trimEnd();
  };

  assert.equal(await valueOf('TALARIA_HOME'), `/${awkward}`);
  assert.equal(await valueOf('Label'), 'org.talaria.gateway');
  assert.equal(await valueOf('ExitTimeOut'), '90');
  assert.equal((await valueOf('ProgramArguments')).split('\n')[2]?.trim(), `/${awkward}/talaria.js`);
});
