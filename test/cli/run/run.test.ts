import assert from 'node:assert/strict';
import { access, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { callsTool, callsTools, failsWith, says, stallsAfter } from '../../support/model-script.ts';
import type { SeenRequest } from '../../support/model-script.ts';
import { openDesk, parseLines } from '../support/program.ts';

/** What the user said in a request, newest last. */
function userTexts(request: SeenRequest | undefined): readonly unknown[] {
  const messages = (request?.json?.['messages'] ?? []) as readonly { role: string; content: unknown }[];
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

test('the reply goes to stdout exactly as it is, and nothing else does', async () => {
  await using desk = await openDesk([
    callsTool('terminal', { command: 'echo hi' }, { text: 'Let me look.' }),
    says('It says\n\nhi.'),
  ]);

  const { stdout, stderr, code } = await desk.run(['run', 'say', 'hi', 'in', 'the', 'shell']);

  assert.equal(stdout, 'It says\n\nhi.\n');
  assert.equal(stderr, 'Let me look.\n• terminal  echo hi\n  ✓ hi\n');
  assert.equal(code, 0);
  assert.deepEqual(userTexts(desk.server.requests[0]), ['say hi in the shell']);
});

test('with --quiet there is no progress', async () => {
  await using desk = await openDesk([
    callsTool('terminal', { command: 'echo hi' }, { text: 'Let me look.' }),
    says('Done.'),
  ]);

  assert.deepEqual(await desk.run(['run', '-q', 'go']), { stdout: 'Done.\n', stderr: '', code: 0 });
});

const prompts = [
  { what: 'the words alone', args: ['two', 'words'], input: undefined, prompt: 'two words' },
  { what: 'stdin behind the words', args: ['review', 'this'], input: 'a\nb\n', prompt: 'review this\n\na\nb' },
  { what: 'stdin where there are no words', args: [], input: 'what now?\n', prompt: 'what now?' },
  { what: 'stdin for a dash', args: ['-'], input: 'from\nstdin', prompt: 'from\nstdin' },
  { what: 'the words where stdin is empty', args: ['hello'], input: '', prompt: 'hello' },
];

for (const { what, args, input, prompt } of prompts) {
  test(`the prompt is ${what}`, async () => {
    await using desk = await openDesk([says('Yes.')]);

    const { code } = await desk.run(['run', ...args], input === undefined ? {} : { input });

    assert.equal(code, 0);
    assert.deepEqual(userTexts(desk.server.requests[0]), [prompt]);
  });
}

test('without a prompt it ends with 2 and asks no model', async () => {
  await using desk = await openDesk();

  for (const options of [{}, { input: '' }, { input: ' \n' }]) {
    const { stdout, stderr, code } = await desk.run(['run'], options);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /there is no prompt/);
  }
  assert.equal(desk.server.requests.length, 0);
});

test('with --json every line is an event, and the last one says how it ended', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'echo hi' }), says('Done.')]);

  const { stdout, code } = await desk.run(['run', '--json', 'go']);

  const lines = parseLines(stdout);
  const entries = lines.filter(({ type }) => type === 'entry').map(({ entry }) => (entry as { type: string }).type);
  assert.equal(code, 0);
  assert.deepEqual(lines[0], { type: 'started', model: 'custom:scripted' });
  assert.deepEqual(entries, [
    'turn.claimed',
    'step.asked',
    'step.finished',
    'tool.called',
    'tool.settled',
    'step.asked',
    'step.finished',
    'turn.settled',
  ]);
  const { sessionId, turnId, ...last } = lines.at(-1) ?? {};
  assert.match(JSON.stringify(sessionId), /^"ses_/);
  assert.match(JSON.stringify(turnId), /^"trn_/);
  assert.deepEqual(last, {
    type: 'settled',
    ok: true,
    exitCode: 0,
    result: { type: 'replied', text: 'Done.', ending: 'complete' },
    text: 'Done.',
  });
});

test('a turn that fails ends with 1 and says why, on stderr or as JSON', async () => {
  const refusal = failsWith(401, { error: { message: 'bad key' } });
  await using desk = await openDesk([refusal, refusal]);

  const text = await desk.run(['run', 'hello']);
  const json = await desk.run(['run', '--json', 'hello']);

  assert.equal(text.code, 1);
  assert.equal(text.stdout, '');
  assert.match(text.stderr, /401.*bad key/);
  assert.equal(json.code, 1);
  const last = parseLines(json.stdout).at(-1);
  assert.equal(last?.['ok'], false);
  assert.match(JSON.stringify(last), /bad key/);
});

test('with --json a turn that is put off, and any error, is told in a line with a type and a reason', async () => {
  await using desk = await openDesk([stallsAfter(100, says('One two three.'))]);
  const run = desk.start(['run', '--json', 'hello']);
  await desk.server.whenStalled();
  await rename(join(desk.home, 'state', 'talaria.db'), join(desk.home, 'state', 'moved.db'));
  desk.server.release();
  const putOff = parseLines((await run.ended).stdout).find(({ ok }) => ok === false);
  const unknown = parseLines((await desk.run(['run', '--json', '-r', 'xyz', 'hello'])).stdout);

  const { error, ...line } = putOff ?? {};
  assert.deepEqual(line, { type: 'failed', ok: false, exitCode: 70 });
  assert.match(JSON.stringify(error), /"put-off".*put off: .*talaria\.db was deleted/);
  assert.deepEqual(unknown, [
    { type: 'failed', ok: false, exitCode: 1, error: { code: 'not-found', message: 'there is no session xyz' } },
  ]);
});

test('what needs consent is refused where nobody can be asked', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'touch made.txt' }), says('I may not.')]);

  const { stdout, stderr, code } = await desk.run(['run', 'make a file']);

  assert.equal(code, 0);
  assert.equal(stdout, 'I may not.\n');
  assert.match(stderr, /✗ refused: terminal {2}touch made\.txt: /);
  assert.match(stderr, /nobody could be asked here\n--yes allows what needs consent\n$/);
  await assert.rejects(access(join(desk.workdir, 'made.txt')));
});

test('--yes allows what would be asked, on record, and never what would destroy a home', async () => {
  const commands = ['touch made.txt', 'rm -rf ~'];
  await using desk = await openDesk([...commands.map((command) => callsTool('terminal', { command })), says('Done.')]);

  const { stdout, code } = await desk.run(['run', '--yes', '--json', 'make a file']);

  const entries = parseLines(stdout).flatMap(({ entry }) => (isJsonObject(entry) ? [entry] : []));
  const ofType = (type: string): readonly JsonObject[] => entries.filter((entry) => entry['type'] === type);
  assert.equal(code, 0);
  await access(join(desk.workdir, 'made.txt'));
  assert.deepEqual(
    ofType('approval.answered').map(({ verdict, by }) => [verdict, by]),
    [['approved', 'owner']],
  );
  assert.deepEqual(
    ofType('tool.settled').map(({ outcome }) => isJsonObject(outcome) && outcome['type']),
    ['done', 'refused'],
  );
});

test('--yes lifts no limit of money: where nobody can be asked the turn ends', async () => {
  await using desk = await openDesk([says('never')]);
  await desk.setConfig({
    model: { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' },
    prices: { 'custom:scripted': { input: 1000, output: 1000 } },
    limits: { per_turn: 0.01, when_reached: 'ask' },
  });

  const { stderr, code } = await desk.run(['run', '--yes', 'hello']);

  assert.equal(code, 1, stderr);
  assert.equal(desk.server.requests.length, 0);
});

test('text that would drive the terminal is made harmless in progress', async () => {
  const calls = [{ name: 'terminal', args: { command: 'echo \u001b[2J' } }];
  await using desk = await openDesk([callsTools(calls, { text: '\u001b]0;title\u0007Look' }), says('Done.')]);

  const { stderr } = await desk.run(['run', 'go']);

  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  assert.match(stderr, /␛\]0;title␇Look/);
});

test('-c continues the last session and -r one that its beginning names', async () => {
  await using desk = await openDesk([says('One.'), says('Two.'), says('Three.'), says('Four.')]);
  await desk.run(['run', 'first']);
  await desk.run(['run', 'second']);

  await desk.run(['run', '-c', 'third']);
  const { sessions } = JSON.parse((await desk.run(['sessions', '--json'])).stdout) as {
    sessions: readonly { id: string; title: string }[];
  };
  const first = sessions.find(({ title }) => title === 'first')?.id ?? '';
  await desk.run(['run', '-r', first.slice(0, -1), 'fourth']);

  assert.deepEqual(userTexts(desk.server.requests[2]), ['second', 'third']);
  assert.deepEqual(userTexts(desk.server.requests[3]), ['first', 'fourth']);
});

test('an id that several sessions share is answered with the candidates', async () => {
  await using desk = await openDesk([says('One.'), says('Two.')]);
  await desk.run(['run', 'first']);
  await desk.run(['run', 'second']);

  const ambiguous = await desk.run(['run', '-r', 'ses_', 'go on']);
  const unknown = await desk.run(['run', '-r', 'xyz', 'go on']);

  assert.equal(ambiguous.code, 2);
  assert.equal(ambiguous.stderr.match(/^ {2}ses_\w{20}/gm)?.length, 2);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /no session xyz/);
});

test('there is nothing to continue on a new home', async () => {
  await using desk = await openDesk();

  const { stderr, code } = await desk.run(['run', '-c', 'go on']);

  assert.equal(code, 1);
  assert.match(stderr, /no session to continue/);
});

test('a slash command is answered without asking a model', async () => {
  await using desk = await openDesk();

  const { stdout, code } = await desk.run(['run', '/help']);

  assert.equal(code, 0);
  assert.match(stdout, /^ *\/stop +stop what is running$/m);
  assert.equal(desk.server.requests.length, 0);
});

test('another model can be asked for this run only', async () => {
  await using desk = await openDesk([says('Yes.')]);

  await desk.run(['run', '-m', 'other-model', 'hello']);

  assert.equal(desk.server.requests[0]?.json?.['model'], 'other-model');
  assert.doesNotMatch(await readFile(join(desk.home, 'config.json'), 'utf8'), /other-model/);
});

test('a reader that leaves early does no harm', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'echo hi' }), says('Done.')]);
  const run = desk.start(['run', '--json', 'go']);
  run.child.stdout?.destroy();

  const { stderr, code } = await run.ended;

  assert.equal(stderr, '');
  assert.equal(code, 0);
});
