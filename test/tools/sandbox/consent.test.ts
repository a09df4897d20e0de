import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PersonId } from '../../../src/base/ids.ts';
import type { Json } from '../../../src/base/json.ts';
import { FileStandingRules } from '../../../src/store/home/standing-rules.ts';
import { callsTool, says } from '../../support/model-script.ts';
import { needsSandbox, sandboxed } from '../../support/sandbox.ts';
import { openTelegramHouse } from '../../support/telegram-house.ts';
import { anna } from '../../support/telegram-server.ts';
import { openTestHouse } from '../../support/test-house.ts';
import { openDesk } from '../../cli/support/program.ts';
import { openToolBench } from '../open-toolbox.ts';

const here = await needsSandbox();

test('inside nothing is asked, leaving is, and the disasters are refused either way', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const assess = async (input: Json): Promise<Json> => {
    const { type, ...rest } = await bench.assess('terminal', input);
    return [type, 'within' in rest ? (rest.within ?? null) : null, 'question' in rest ? rest.question : null];
  };
  const leaving = `npm install\nin ${bench.workdir}, outside the sandbox`;

  assert.deepEqual(await assess({ command: 'npm install' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'npm install', background: true }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'npm install', outside: true }), ['ask', null, leaving]);
  assert.deepEqual(await assess({ command: 'cat .env' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'rm -rf ~' }), ['forbidden', null, null]);
  assert.deepEqual(await assess({ command: 'rm -rf ~', outside: true }), ['forbidden', null, null]);
  assert.deepEqual(await assess({ command: `cat ${bench.home}/.env` }), ['forbidden', null, null]);
  // What only reads runs as it always did, where all can be read, except for what only the sandbox has.
  assert.deepEqual(await assess({ command: 'ls /var' }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'ls /tmp' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: `ls ${bench.workdir}` }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'cat notes' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'grep word /var/log/any' }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'ls /var', outside: true }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'cat notes', outside: true }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'ls /var | wc -l; date' }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'ls /var | wc -l; ls /tmp' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'date; cat notes | sort' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: `date && cat ${bench.home}/.env` }), ['forbidden', null, null]);
  assert.deepEqual(await assess({ command: 'ls /var 2>/dev/null' }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'cd /var && ls 2>&1' }), ['safe', null, null]);
  assert.deepEqual(await assess({ command: 'cd /tmp && ls' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'cd /var && cat log/any' }), ['safe', null, null]);
  // Where there is no such folder, these show a file of the session's.
  assert.deepEqual(await assess({ command: 'cd /var; cat log/any' }), ['safe', 'sandbox', null]);
  assert.deepEqual(await assess({ command: 'cd /var | ls && cat log/any' }), ['safe', 'sandbox', null]);
});

test(
  'a file is shown from inside also where a folder of the session that leads to it may be swapped',
  here,
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    await symlink('/etc', join(bench.workdir, 'there'));

    const led = await bench.assess('terminal', { command: 'cd there && cat hostname' });
    const listed = await bench.assess('terminal', { command: 'cd there && ls' });

    assert.deepEqual(
      [led, listed].map((risk) => (risk.type === 'safe' ? (risk.within ?? 'outside') : risk.type)),
      ['sandbox', 'outside'],
    );
  },
);

test('a consent to leave can be given for good, as without a sandbox', here, async () => {
  await using with_ = await openToolBench({ sandbox: sandboxed });
  await using without = await openToolBench();
  const input = { command: 'git push', outside: true };

  const [left, usual] = [await with_.assess('terminal', input), await without.assess('terminal', input, with_.place)];

  assert.ok(left.type === 'ask' && usual.type === 'ask');
  assert.deepEqual(left.standing, usual.standing);
});

test(
  'in a whole home, in our own folders and where there is no bubblewrap everything is asked about, or refused',
  here,
  async () => {
    const path = { PATH: '/nowhere' };
    for (const [mode, risk, why] of [
      ['auto', 'ask', ''],
      ['on', 'forbidden', 'commands run only in the sandbox (terminal.sandbox), and '],
    ] as const) {
      await using bench = await openToolBench({ sandbox: { mode, network: 'none' } });
      await using bare = await openToolBench({ sandbox: { mode, network: 'none' }, environment: path });
      const at = async (workdir: string): Promise<string> => {
        const judged = await bench.assess('terminal', { command: 'touch x' }, { ...bench.place, workdir });
        return `${judged.type} ${judged.type === 'forbidden' ? judged.reason : ''}`;
      };

      const missing = await bare.assess('terminal', { command: 'touch x' });

      assert.equal(missing.type, risk);
      assert.ok((await at(bench.userHome)).startsWith(`${risk} ${why}`));
      assert.ok((await at(bench.home)).startsWith(`${risk} ${why}`));
      assert.ok((await at('/var/tmp')).startsWith(`${risk} ${why}`));
      assert.ok((await at(join(bench.workdir, 'missing'))).startsWith(`${risk} ${why}`));
      if (missing.type === 'forbidden') assert.match(missing.reason, /and the program bwrap is not installed/);
    }
  },
);

test(
  'the first question of a session in a whole home says why there is no sandbox, and how to come by one',
  here,
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    const inHome = { ...bench.place, workdir: bench.userHome };
    const ask = async (command: string): Promise<string> => {
      const risk = await bench.assess('terminal', { command }, inHome);
      return risk.type === 'ask' ? risk.question : risk.type;
    };

    const [first, second] = [await ask('touch x'), await ask('touch y')];

    const why = `${bench.userHome} is a whole home or a folder of the system`;
    const how = 'In a session that was opened in the folder of a project (telegram.workdir, web.workdir)';
    assert.equal(
      first,
      `touch x\nin ${bench.userHome}\nNo sandbox here: ${why}. ${how} commands run in one, without a question.`,
    );
    assert.equal(second, `touch y\nin ${bench.userHome}`);
  },
);

test('with the sandbox required, what cannot run in it does not run at all', here, async () => {
  await using bench = await openToolBench({
    sandbox: { mode: 'on', network: 'none' },
    environment: { PATH: '/nowhere' },
  });

  const risk = await bench.assess('terminal', { command: 'touch ran', outside: true });
  const text = await bench.run('terminal', { command: 'touch ran', outside: true });

  assert.partialDeepStrictEqual(risk, { type: 'forbidden', is: 'mistake' });
  assert.match(text, /^ERROR: commands run only in the sandbox/);
  assert.equal(existsSync(join(bench.workdir, 'ran')), false);
});

test(
  'approvals test tells what the sandbox makes of a command, and the doctor whether there is one',
  here,
  async () => {
    await using desk = await openDesk([]);
    await desk.setConfig({ terminal: { sandbox: 'auto' } });
    const ask = async (...words: readonly string[]): Promise<readonly [number | null, string]> => {
      const { code, stdout } = await desk.run(['approvals', 'test', ...words]);
      return [code, stdout.trim()];
    };

    const [inside, reads, refused] = [await ask('npm install'), await ask('ls -la'), await ask('rm -rf /')];
    const own = await ask('cat notes.txt');
    const home = await ask('npm install', '--folder', '/');
    const left = await ask('--outside', 'npm install');
    const leftReads = await ask('--outside', 'ls -la');
    const asked = await desk.run(['approvals', 'test', '--json', '--outside', 'npm install']);
    const { standing } = JSON.parse(asked.stdout) as { standing: { covers: string } };
    const rules = new FileStandingRules(join(desk.home, 'state', 'standing-rules.json'));
    const { id } = await rules.add({ ...standing, shown: 'npm install', by: 'owner' as PersonId, since: 0 });
    const allowed = await ask('npm install');
    const doctor = await desk.run(['doctor']);

    const wish = 'because the call asks to leave the sandbox (outside: true)';
    assert.deepEqual(inside, [
      0,
      'runs in the sandbox, unasked, because it may do more than read\nto leave it is asked about',
    ]);
    assert.deepEqual(allowed, [
      0,
      `runs in the sandbox, unasked, because it may do more than read\nto leave it is allowed by rule ${id}: npm install`,
    ]);
    assert.deepEqual(own, [
      0,
      'runs in the sandbox, unasked, because it shows files of a folder that commands inside may write to\nto leave it needs no question',
    ]);
    assert.deepEqual(reads, [
      0,
      'safe: it only reads, and runs without a question\nruns outside, in the system as it is, because it only reads',
    ]);
    assert.equal(refused[0], 5);
    assert.equal(home[0], 4);
    assert.match(home[1], /\nruns outside, in the system as it is, because there is no sandbox: /);
    assert.equal(left[0], 4);
    assert.match(left[1], /^asks, because npm is not known to do nothing but read; can be allowed/);
    assert.ok(left[1].endsWith(`\nruns outside, in the system as it is, ${wish}`), left[1]);
    assert.deepEqual(leftReads, [
      0,
      `safe: it only reads, and runs without a question\nruns outside, in the system as it is, ${wish}`,
    ]);
    assert.match(doctor.stdout, /ok +sandbox +bubblewrap \d+\.\d+/);
  },
);

test('in the terminal the model works inside unasked, is told what stops it, and asks to leave', here, async () => {
  const questions: string[] = [];
  await using house = await openTestHouse({
    script: [
      callsTool('terminal', { command: 'echo made > made.txt; echo x > ~/outside.txt' }),
      callsTool('terminal', { command: 'echo x > ~/outside.txt', outside: true }),
      says('Done.'),
    ],
    settings: { terminal: { sandbox: 'auto' } },
    consent: (question) => {
      questions.push(question.text);
      return 'approved';
    },
  });

  const reply = await house.say('make them');

  const results = JSON.stringify(house.server.requests[1]?.json);
  assert.equal(reply, 'Done.');
  assert.match(results, /Read-only file system.*this ran in the sandbox: no network.*outside: true/);
  assert.equal(questions.length, 1);
  assert.match(questions[0] ?? '', /echo x > ~\/outside\.txt\nin .*work, outside the sandbox/);
  assert.equal(await readFile(join(house.workdir, 'made.txt'), 'utf8'), 'made\n');
  assert.equal(await readFile(join(house.workdir, '..', 'outside.txt'), 'utf8'), 'x\n');
});

test('through the gateway a chat with a folder of its own works inside it, unasked', here, async () => {
  const command = 'echo made > made.txt; cat made.txt; touch /etc/made 2>&1';
  await using house = await openTelegramHouse({
    script: [callsTool('terminal', { command }), says('Done.')],
    telegram: { allow: [anna.id], workdir: '~/project' },
    settings: { terminal: { sandbox: 'auto' } },
  });
  const folder = join(house.home, '..', 'project');
  await mkdir(folder, { recursive: true });

  house.telegram.say('make it');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));

  assert.match(JSON.stringify(house.model.requests[1]?.json), /made\\\\?n.*Read-only file system/);
  assert.equal(await readFile(join(folder, 'made.txt'), 'utf8'), 'made\n');
  assert.deepEqual(await house.app.store.turns.consents(10), []);
});
