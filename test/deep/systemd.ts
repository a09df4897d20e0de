import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNamespaces, whyNoUserManager } from '../support/user-manager.ts';

const program = join(import.meta.dirname, '..', 'support', 'systemd-child.ts');
const longestMs = 600_000;

test(
  'under a real user manager of systemd the gateway is installed, started, killed, restarted, updated, stopped and removed, and loses nothing',
  { skip: whyNoUserManager() },
  async (t) => {
    const { code, stdout, stderr } = await runInNamespaces(program, longestMs);

    for (const step of stdout.split('\n')) if (step !== '') t.diagnostic(step);
    assert.equal(code, 0, stderr);
  },
);
