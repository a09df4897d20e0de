import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig } from '../../src/model/config.ts';
import { findBackendProblem, terminalSettings } from '../../src/model/terminal-settings.ts';
import type { UserTerminal } from '../../src/model/terminal-settings.ts';

const problems: readonly (readonly [UserTerminal, RegExp | undefined])[] = [
  [{}, undefined],
  [{ ssh: { user: 'ann' }, docker: {} }, undefined],
  [{ backend: 'ssh' }, /terminal\.ssh\.host names no host/],
  [{ backend: 'ssh', ssh: { host: 'box', user: 'ann' } }, undefined],
  [{ backend: 'ssh', ssh: { host: '-oProxyCommand=evil' } }, /is no name/],
  [{ backend: 'ssh', ssh: { host: 'two words' } }, /is no name/],
  [{ backend: 'ssh', ssh: { host: 'box', user: '-l' } }, /is no name/],
  [{ backend: 'docker' }, /names no image or container/],
  [{ backend: 'docker', docker: { image: 'debian:13' } }, undefined],
  [{ backend: 'docker', docker: { container: 'mine' } }, undefined],
  [{ backend: 'docker', docker: { image: 'debian:13', container: 'mine' } }, /one of them is enough/],
  [{ backend: 'docker', docker: { image: '--privileged' } }, /is no name/],
  [{ backend: 'docker', docker: { image: 'debian:13', network: 'a b' } }, /is no name/],
];

test('a backend that cannot be meant is a problem, and what is set for another one is none', () => {
  for (const [user, expected] of problems) {
    const problem = findBackendProblem(terminalSettings(user));

    if (expected === undefined) assert.equal(problem, undefined, JSON.stringify(user));
    else assert.match(problem ?? '', expected, JSON.stringify(user));
  }
});

test('a backend without its host is warned about, and does not keep the program from starting', () => {
  const checked = checkConfig({ terminal: { backend: 'ssh' } });

  assert.ok(checked.type === 'valid');
  assert.match(checked.warnings[0]?.message ?? '', /terminal\.ssh\.host names no host/);
});
