import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileStandingRules } from '../../../src/store/home/standing-rules.ts';
import type { PersonId } from '../../../src/base/ids.ts';
import { openFakePrograms } from '../../support/fake-programs.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';

test('approvals test says what would become of a command, and why, and its exit code says the same', async () => {
  await using programs = await openFakePrograms('git');
  await using desk = await openDesk([]);
  const env = { PATH: programs.path };

  const cases = await Promise.all(
    ['ls -la', 'git push', 'ls; git push', 'rm -rf ~', 'cat .netrc'].map(async (command) => {
      const { code, stdout } = await desk.run(['approvals', 'test', command], { env });
      return [code, stdout.trim()] as const;
    }),
  );

  const [safe, asks, chained, refused, login] = cases;
  const where = 'runs outside, in the system as it is, because the sandbox is switched off (terminal.sandbox)';
  assert.deepEqual(safe, [0, `safe: it only reads, and runs without a question\n${where}`]);
  const git = join(programs.bin, 'git');
  assert.deepEqual(asks, [
    4,
    `asks, because git is not known to do nothing but read; can be allowed for good: git push … (${git}) in ${desk.workdir}\n${where}`,
  ]);
  assert.deepEqual(chained, [
    4,
    `asks, because it is more than one plain command; can be allowed for a session at most\n${where}`,
  ]);
  assert.match(refused?.[1] ?? '', /^refused, whoever agrees: this command means deleting /);
  assert.equal(refused?.[0], 5);
  assert.match(login?.[1] ?? '', /^asks, because it reads what may log you in somewhere/);
});

test('a command that approvals test is given in several words is judged with the quotes that the shell took off', async () => {
  await using desk = await openDesk([]);

  const whole = await desk.run(['approvals', 'test', "rm -rf 'a b'", '--json']);
  const words = await desk.run(['approvals', 'test', '--json', '--', 'rm', '-rf', 'a b']);
  const option = await desk.run(['approvals', 'test', 'rm', '-rf', 'build']);

  assert.deepEqual(words, whole);
  assert.equal(option.code, 2);
  assert.match(option.stderr, /there is no option -r; put the command into quotes, or behind --\n/);
});

test('what is allowed for good is listed and taken back, and approvals test follows', async () => {
  await using programs = await openFakePrograms('git');
  await using desk = await openDesk([]);
  const env = { PATH: programs.path };
  const asked = await desk.run(['approvals', 'test', 'git push', '--json'], { env });
  const { standing } = JSON.parse(asked.stdout) as { standing: { covers: string; shown: string } };
  const rules = new FileStandingRules(join(desk.home, 'state', 'standing-rules.json'));
  const { id } = await rules.add({ ...pick(standing), by: 'owner' as PersonId, since: Date.UTC(2026, 0, 2) });

  const allowed = await desk.run(['approvals', 'test', 'git push origin main'], { env });
  const listed = await desk.run(['approvals']);
  const revoked = await desk.run(['approvals', 'revoke', id]);
  const again = await desk.run(['approvals', 'revoke', id]);
  const after = await desk.run(['approvals', 'test', 'git push origin main'], { env });
  const none = await desk.run(['approvals', 'list']);

  assert.equal(allowed.code, 0);
  assert.ok(allowed.stdout.startsWith(`allowed by rule ${id}: ${standing.shown}\nruns outside`), allowed.stdout);
  assert.equal(listed.stdout, `${id}  2026-01-02  owner  ${standing.shown}\n`);
  assert.deepEqual([revoked.code, revoked.stdout], [0, 'One rule is taken back.\n']);
  assert.deepEqual([again.code, again.stderr], [1, `talaria: there is no rule ${id}; see talaria approvals list\n`]);
  assert.equal(after.code, 4);
  assert.equal(none.stdout, 'Nothing is allowed for good.\n');
});

test('approvals revoke takes the beginning or the end of an id, unless it may mean several', async () => {
  await using desk = await openDesk([]);
  const rules = new FileStandingRules(join(desk.home, 'state', 'standing-rules.json'));
  await desk.run(['approvals']);
  const ids: string[] = [];
  // Of seventeen ids two begin with the same digit.
  for (let count = 1; count <= 17; count += 1) {
    const { id } = await rules.add({ covers: `c${count}`, shown: 'ls', by: 'owner' as PersonId, since: 0 });
    ids.push(id);
  }
  const [first = '', second = ''] = ids;
  const shared = ids.find((id, index) => ids.slice(0, index).some((each) => each[0] === id[0]))?.[0] ?? '';

  const unclear = await desk.run(['approvals', 'revoke', first, shared]);
  const kept = rules.list().length;
  const both = await desk.run(['approvals', 'revoke', first.slice(0, -1).toUpperCase(), second.slice(1)]);

  assert.equal(unclear.code, 2);
  assert.match(unclear.stderr, /several rules are meant by .: /);
  assert.equal(kept, 17);
  assert.deepEqual([both.code, both.stdout], [0, '2 rules are taken back.\n']);
  assert.deepEqual(
    rules.list().filter(({ id }) => id === first || id === second),
    [],
  );
});

function pick({ covers, shown }: { covers: string; shown: string }): { covers: string; shown: string } {
  return { covers, shown };
}

test('approvals log tells who allowed or denied what, and what nobody could be asked about', async () => {
  const call = callsTool('terminal', { command: 'touch made.txt' });
  await using desk = await openDesk([call, says('Done.'), call, says('No.')]);
  const none = await desk.run(['approvals', 'log']);
  await desk.run(['run', '--yes', 'make it']);
  await desk.run(['run', 'make it']);

  const text = await desk.run(['approvals', 'log']);
  const json = await desk.run(['approvals', 'log', '--json', '-n', '1']);

  assert.equal(none.stderr, 'Nothing was asked yet.\n');
  const [first = '', second = ''] = text.stdout.split('\n');
  assert.match(first, /^\d{4}-\d\d-\d\d \d\d:\d\d {2}\w+ {2}owner {2}allowed by --yes {2}touch made\.txt ⏎ in \//);
  assert.match(second, / {2}- {2}denied: nobody could be asked {2}touch made\.txt/);
  const { approvals } = JSON.parse(json.stdout) as { approvals: readonly { verdict: string; by: string | null }[] };
  assert.deepEqual(
    approvals.map(({ verdict, by }) => [verdict, by]),
    [['denied', null]],
  );
  assert.equal(await readFile(join(desk.workdir, 'made.txt'), 'utf8'), '');
});
