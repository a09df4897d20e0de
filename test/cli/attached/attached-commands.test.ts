import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says, stallsAfter } from '../../support/model-script.ts';
import { anna } from '../../support/telegram-server.ts';
import { openGatewayDesk } from '../gateway/gateway-desk.ts';
import { openDesk, parseLines } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const words = 'One two three four five six seven eight nine ten.';

test('while the gateway runs, a one-shot is answered by it, with the reply alone on stdout', async () => {
  await using bench = await openGatewayDesk([says('Four.')], []);
  await bench.start();

  const outcome = await bench.desk.run(['run', 'two and two?']);

  assert.deepEqual(outcome, { stdout: 'Four.\n', stderr: '', code: 0 });
});

test('an attached one-shot takes what is piped in, and shows its events as JSON lines', async () => {
  await using bench = await openGatewayDesk([says('Fine.')], []);
  await bench.start();

  const { stdout, code } = await bench.desk.run(['run', '--json', 'review this'], { input: 'some text' });

  const lines = parseLines(stdout);
  assert.equal(code, 0);
  assert.equal(lines[0]?.['type'], 'started');
  assert.deepEqual(
    lines.flatMap((line) => (line['type'] === 'entry' ? [(line['entry'] as { type: string }).type] : [])),
    ['turn.claimed', 'step.asked', 'step.finished', 'turn.settled'],
  );
  assert.deepEqual([lines.at(-1)?.['type'], lines.at(-1)?.['ok'], lines.at(-1)?.['text']], ['settled', true, 'Fine.']);
  assert.match(bench.desk.server.requests[0]?.body ?? '', /some text/);
});

test('an attached one-shot works in the folder that it was started in', async () => {
  await using bench = await openGatewayDesk([callsTool('terminal', { command: 'pwd' }), says('There.')], []);
  await bench.start();

  await bench.desk.run(['run', 'where are we?']);

  assert.match(bench.desk.server.requests[1]?.body ?? '', new RegExp(bench.desk.workdir));
});

test('an attached one-shot says that the file of a folder is not read, which nobody trusts', async () => {
  await using bench = await openGatewayDesk([says('Hello.')], []);
  await bench.start();
  await writeFile(join(bench.desk.workdir, 'AGENTS.md'), 'Speak French.');

  const { stderr } = await bench.desk.run(['run', 'hi']);

  assert.match(stderr, /AGENTS\.md is not read: .*\/work is not trusted\. To trust it: talaria trust .*\/work\n/);
});

test('what needs consent is refused where nobody can be asked, attached as well', async () => {
  await using bench = await openGatewayDesk([callsTool('terminal', { command: 'touch made' }), says('No.')], []);
  await bench.start();

  const { code, stdout } = await bench.desk.run(['run', 'make a file']);

  assert.deepEqual([code, stdout], [0, 'No.\n']);
  assert.equal(existsSync(join(bench.desk.workdir, 'made')), false);
});

test('--yes answers what the gateway asks, on record, and no disaster becomes a question', async () => {
  const calls = ['touch made', 'rm -rf ~'].map((command) => callsTool('terminal', { command }));
  await using bench = await openGatewayDesk([...calls, says('Made.')], []);
  await bench.start();

  const { code, stdout } = await bench.desk.run(['run', '--yes', 'make a file']);
  const log = await bench.desk.run(['approvals', 'log']);

  assert.deepEqual([code, stdout], [0, 'Made.\n']);
  assert.equal(existsSync(join(bench.desk.workdir, 'made')), true);
  assert.match(log.stdout, /^\S+ \S+ {2}\w{8} {2}owner {2}allowed by --yes {2}touch made[^\n]*\n$/);
  assert.match(bench.desk.server.requests[2]?.body ?? '', /REFUSED: this command means deleting/);
});

test('a session is continued, listed, shown, searched, exported, counted and deleted beside the gateway', async () => {
  await using bench = await openGatewayDesk([says('Noted: a heron.'), says('A heron.')], []);
  await bench.start();
  await bench.desk.run(['run', 'remember the heron']);

  const again = await bench.desk.run(['run', '-c', 'what was it?']);
  const list = await bench.desk.run(['sessions', '--json']);
  const [session] = (JSON.parse(list.stdout) as { sessions: { id: string; workdir: string }[] }).sessions;
  const id = session?.id ?? '';
  const shown = await bench.desk.run(['sessions', 'show', id]);
  const found = await bench.desk.run(['sessions', 'search', 'heron']);
  const exported = await bench.desk.run(['sessions', 'export', id]);
  const usage = await bench.desk.run(['usage', '--json']);
  const why = await bench.desk.run(['usage', 'why', '--json']);
  const deleted = await bench.desk.run(['sessions', 'delete', '-y', id]);
  const left = await bench.desk.run(['sessions', '--json']);

  assert.equal(again.stdout, 'A heron.\n');
  assert.equal(session?.workdir, bench.desk.workdir);
  assert.match(shown.stdout, /remember the heron[\s\S]*A heron\./);
  assert.match(found.stdout, /heron/);
  assert.match(exported.stdout, /^# /);
  assert.equal((JSON.parse(usage.stdout) as { total: { calls: number } }).total.calls, 2);
  assert.equal((JSON.parse(why.stdout) as { ok: boolean }).ok, true);
  assert.match(deleted.stdout, /is deleted/);
  assert.deepEqual(JSON.parse(left.stdout), { ok: true, sessions: [], more: 0 });
});

test('a long session comes through in parts, whole and in order', async () => {
  const long = 'x'.repeat(90_000);
  await using bench = await openGatewayDesk(() => says(long), []);
  await bench.start();
  for (const word of ['one', 'two', 'three', 'four', 'five']) await bench.desk.run(['run', word, ...continued(word)]);
  const list = await bench.desk.run(['sessions', '--json']);
  const [session] = (JSON.parse(list.stdout) as { sessions: { id: string }[] }).sessions;

  const { stdout } = await bench.desk.run(['sessions', 'show', session?.id ?? '', '--json']);

  const { entries } = JSON.parse(stdout) as { entries: { seq: number }[] };
  assert.ok(stdout.length > 800_000);
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => index + 1),
  );
});

function continued(word: string): readonly string[] {
  return word === 'one' ? [] : ['-c'];
}

test('the model of an attached command counts for its session, and one that cannot be used is refused', async () => {
  await using bench = await openGatewayDesk(() => says('Here.'), []);
  await bench.start();

  const chosen = await bench.desk.run(['run', '-m', 'another', 'hello']);
  await bench.desk.run(['run', '-c', 'and again']);
  await bench.desk.run(['run', 'someone else']);
  const unknown = await bench.desk.run(['run', '-m', 'openai:gpt', 'hello']);

  assert.deepEqual([chosen.code, unknown.code], [0, 78]);
  assert.match(unknown.stderr, /OPENAI_API_KEY/);
  assert.deepEqual(
    bench.desk.server.requests.map(({ json }) => json?.['model']),
    ['another', 'another', 'scripted'],
  );
});

test('Ctrl-C in an attached one-shot stops the turn in the gateway', async () => {
  await using bench = await openGatewayDesk([stallsAfter(900, says(words))], []);
  await bench.start();
  const run = bench.desk.start(['run', '--json', 'count']);
  await run.prints(/"text\.delta"/);

  run.child.kill('SIGINT');
  const { stdout, code } = await run.ended;

  assert.equal(code, 130);
  assert.deepEqual(parseLines(stdout).at(-1)?.['result'], { type: 'interrupted', by: 'owner' });
});

test('what a one-shot adds to a turn that runs is answered by that turn, on stdout', async () => {
  await using bench = await openGatewayDesk([stallsAfter(900, says(words)), says('And eleven.')], []);
  await bench.start();
  const first = bench.desk.start(['run', '--json', 'count']);
  await first.prints(/"text\.delta"/);

  const second = bench.desk.start(['run', '-c', 'go on to eleven']);
  while (!(await bench.desk.run(['sessions', 'search', 'eleven'])).stdout.includes('eleven')) continue;
  bench.desk.server.release();
  const { stdout, code } = await second.ended;

  assert.equal(code, 0);
  assert.match(stdout, /And eleven\.\n$/);
});

test('a terminal that is killed leaves its turn to the gateway, and the reply is there at the next -c', async () => {
  await using bench = await openGatewayDesk([stallsAfter(900, says(words)), says('Next.')], []);
  await bench.start();
  const run = bench.desk.start(['run', '--json', 'count']);
  await run.prints(/"text\.delta"/);

  run.child.kill('SIGKILL');
  await run.ended;
  bench.desk.server.release();
  await untilSettled(bench.desk);
  const next = await bench.desk.run([], { input: '' });
  const again = await bench.desk.run(['-c'], { input: '' });

  assert.equal(next.code, 0);
  assert.match(again.stderr, /One two three.*ten\./);
  assert.equal(bench.desk.server.requests.length, 1);
});

async function untilSettled(desk: { run(args: readonly string[]): Promise<{ stdout: string }> }): Promise<void> {
  for (;;) {
    const { stdout } = await desk.run(['sessions', '--json']);
    if (stdout.includes('"isUnfinished":false')) return;
  }
}

test(
  'a question of a terminal that is gone is answered with no, and the turn goes on',
  { skip: noTerminal },
  async () => {
    await using bench = await openGatewayDesk(
      [callsTool('terminal', { command: 'touch made' }), says('Then not.')],
      [],
    );
    await bench.start();
    {
      await using terminal = openTerminal(bench.desk, ['run', 'make a file']);
      await terminal.shows(/\[N\]o:/);
    }

    await bench.desk.server.whenRequested(2);
    await untilSettled(bench.desk);

    assert.match(bench.desk.server.requests[1]?.body ?? '', /REFUSED/);
    assert.equal(existsSync(join(bench.desk.workdir, 'made')), false);
  },
);

test('a session at work is not deleted', async () => {
  await using bench = await openGatewayDesk([stallsAfter(900, says(words))], []);
  await bench.start();
  const run = bench.desk.start(['run', '--json', 'count']);
  await run.prints(/"text\.delta"/);
  const list = await bench.desk.run(['sessions', '--json']);
  const [session] = (JSON.parse(list.stdout) as { sessions: { id: string }[] }).sessions;

  const refused = await bench.desk.run(['sessions', 'delete', '-y', session?.id ?? '']);
  bench.desk.server.release();
  const { code } = await run.ended;

  assert.deepEqual([refused.code, code], [1, 0]);
  assert.match(refused.stderr, /is at work/);
});

test('-r takes a conversation over from Telegram as /resume does: not while it works, and the chat is told', async () => {
  const script = [says('Hello, Anna.'), stallsAfter(900, says(words)), says('At the terminal.'), says('A new one.')];
  await using bench = await openGatewayDesk(script, [anna.id]);
  await bench.start();
  bench.telegram.say('remember the heron');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Hello, Anna.'));
  const list = await bench.desk.run(['sessions', '--json']);
  const [session] = (JSON.parse(list.stdout) as { sessions: { id: string }[] }).sessions;
  const id = session?.id ?? '';
  bench.telegram.say('count');
  await bench.desk.server.whenRequested(2);

  const busy = await bench.desk.run(['run', '-r', id, 'hello']);
  bench.desk.server.release();
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes(words));
  const taken = await bench.desk.run(['run', '-r', id, 'what was it?']);
  await bench.telegram.whenShown(anna.id, (texts) =>
    texts.some((text) => text.includes('is at a terminal now: what you write here begins a new conversation.')),
  );
  bench.telegram.say('hi');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('A new one.'));

  assert.equal(busy.code, 1);
  assert.match(busy.stderr, new RegExp(`a turn is running in ${id}; it can be resumed when that is over`));
  assert.equal(taken.stdout, 'At the terminal.\n');
  assert.match(taken.stderr, /It was on Telegram; there a new one begins with the next message\./);
  const [, , atTerminal, inChat] = bench.desk.server.requests.map(({ body }) => body.includes('heron'));
  assert.deepEqual([atTerminal, inChat], [true, false]);
});

test('a chat on Telegram is told that a terminal went on with its conversation', async () => {
  await using bench = await openGatewayDesk([says('Hello.')], [anna.id]);
  await bench.start();
  bench.telegram.say('hi');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));

  const { stdout } = await bench.desk.run([], { input: '/resume 1\n' });

  assert.match(stdout, /^Going on with ses_\w+ \(hi\)\.[^]*Last there:\n› hi\nHello\.\n$/);
  await bench.telegram.whenShown(anna.id, (texts) =>
    texts.some((text) => text.includes('is at a terminal now: what you write here begins a new conversation.')),
  );
});

test('a second gateway does not attach: it is told that the first runs', async () => {
  await using bench = await openGatewayDesk([], []);
  await bench.start();

  const { code, stderr } = await bench.run('gateway');

  assert.equal(code, 75);
  assert.match(stderr, /already running \(pid \d+/);
});

test('the socket and its folder are closed to other users', async () => {
  await using bench = await openGatewayDesk([], []);
  await bench.start();
  const state = join(bench.desk.home, 'state');

  const modes = await Promise.all([state, join(state, 'gateway.sock')].map(async (path) => (await stat(path)).mode));

  assert.deepEqual(
    modes.map((mode) => (mode & 0o777).toString(8)),
    ['700', '600'],
  );
});

test('a socket that a dead gateway left behind is in nobody’s way', async () => {
  await using bench = await openGatewayDesk(() => says('Here.'), []);
  const gateway = await bench.start();
  gateway.child.kill('SIGKILL');
  await gateway.ended;
  assert.ok(existsSync(join(bench.desk.home, 'state', 'gateway.sock')));

  const alone = await bench.desk.run(['run', 'hello']);
  const chat = bench.desk.start([], { input: 'hello\n', keepOpen: true });
  await chat.prints(/Here\./);
  const beside = await bench.desk.run(['run', 'hello']);
  chat.child.stdin?.end();
  await chat.ended;

  assert.deepEqual([alone.stdout, beside.code], ['Here.\n', 75]);
});

for (const [protocol, advice] of [
  [0, /a gateway of an older version .* restart it/],
  [99, /a gateway of a newer version .* update this program/],
] as const) {
  test(`a gateway of version ${protocol} of the protocol is named as such, with what helps`, async () => {
    await using desk = await openDesk([says('One.')]);
    const chat = desk.start([], { input: 'hello\n', keepOpen: true });
    await chat.prints(/One\./);
    const path = join(desk.home, 'state', 'gateway.sock');
    const other = createServer((connection) => {
      connection.resume().end(`${JSON.stringify({ type: 'refused', protocol })}\n`);
    });
    await new Promise<void>((resolve) => other.listen(path, resolve));

    const { code, stderr } = await desk.run(['sessions']);
    await new Promise((resolve) => other.close(resolve));
    chat.child.stdin?.end();
    await chat.ended;

    assert.equal(code, 75);
    assert.match(stderr, advice);
  });
}

test('a home that was never locked is opened without looking for a gateway', async () => {
  await using desk = await openDesk([says('One.')]);
  const connected: string[] = [];
  await desk.run(['sessions']);
  const path = join(desk.home, 'state', 'gateway.sock');
  const other = createServer(() => connected.push('someone'));
  await new Promise<void>((resolve) => other.listen(path, resolve));

  const { stdout } = await desk.run(['run', 'hello']);
  await new Promise((resolve) => other.close(resolve));

  assert.deepEqual([stdout, connected], ['One.\n', []]);
});

test('who attaches to a gateway that was started with a broken file hears of it, and no more once it is mended', async () => {
  await using bench = await openGatewayDesk(() => says('Yes.'), []);
  const { desk } = bench;
  const file = join(desk.home, 'config.json');
  const settings = await readFile(file, 'utf8');
  await desk.run(['run', 'hi']);
  await writeFile(file, '{ broken');
  await bench.start();

  const broken = await desk.run(['run', 'hi']);
  await writeFile(file, settings);
  const mended = await desk.run(['run', 'hi']);

  assert.match(broken.stderr, /^[^]*config\.json:1:\d+: .*\n.* are used until this is mended\n$/);
  assert.equal(broken.stderr.match(/until this is mended/g)?.length, 1);
  assert.deepEqual(mended, { stdout: 'Yes.\n', stderr: '', code: 0 });
});
