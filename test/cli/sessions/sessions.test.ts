import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

interface Listed {
  readonly id: string;
  readonly title: string;
}

async function list(desk: Desk): Promise<readonly Listed[]> {
  const { stdout } = await desk.run(['sessions', '--json']);
  return (JSON.parse(stdout) as { readonly sessions: readonly Listed[] }).sessions;
}

/** Two sessions: one about penguins, with a command, and one about otters. */
async function openUsedDesk(): Promise<Desk> {
  const desk = await openDesk([
    callsTool('terminal', { command: 'echo emperor' }),
    says('Penguins cannot fly.'),
    says('Otters hold hands.'),
  ]);
  await desk.run(['run', 'tell me about penguins']);
  await desk.run(['run', 'tell me about otters']);
  return desk;
}

test('the list has one line a session, the latest first', async () => {
  await using desk = await openUsedDesk();

  const { stdout, code } = await desk.run(['sessions', 'ls']);
  const limited = await desk.run(['sessions', '-n', '1']);
  const wrong = await desk.run(['sessions', '-n', 'many']);
  const all = await desk.run(['sessions', '-n', '1', '--all']);
  const forPrograms = await desk.run(['sessions', '-n', '1', '--json']);

  assert.equal(code, 0);
  assert.match(stdout, /^ses_\w{20} {2}now {2}tell me about otters\nses_\w{20} {2}now {2}tell me about penguins\n$/);
  assert.match(limited.stdout, /^ses_\w{20} .*otters\n$/);
  assert.equal(limited.stderr, '… and 1 more: --all, or --limit COUNT\n');
  assert.equal(wrong.code, 2);
  assert.deepEqual([all.stdout, all.stderr], [stdout, '']);
  assert.equal((JSON.parse(forPrograms.stdout) as { more: number }).more, 1);
});

test('the list of a new home is empty and says how to begin', async () => {
  await using desk = await openDesk();

  assert.deepEqual(await list(desk), []);
  const { stdout, stderr } = await desk.run(['sessions']);
  assert.equal(stdout, '');
  assert.match(stderr, /no sessions yet/);
});

test('a chat in which nothing was said is no session: it is not listed, and -c goes on with the one before', async () => {
  await using desk = await openUsedDesk();
  const before = await list(desk);

  await desk.run(['chat'], { input: '/status\n/usage\n' });
  const { stderr } = await desk.run(['chat', '-c'], { input: '' });

  assert.deepEqual(
    (await list(desk)).map(({ id }) => id),
    before.map(({ id }) => id),
  );
  assert.match(stderr, /otters/);
});

test('a session is shown as it happened, or as the entries of its log', async () => {
  await using desk = await openUsedDesk();
  const id = (await list(desk)).find(({ title }) => title.includes('penguins'))?.id ?? '';

  const readable = await desk.run(['sessions', 'show', id]);
  const json = await desk.run(['sessions', 'show', id, '--json']);

  assert.match(
    readable.stdout,
    /^tell me about penguins \(ses_\w+\), begun .*\n\n› tell me about penguins\n• terminal {2}echo emperor\n {2}✓ emperor\nPenguins cannot fly\.\n$/,
  );
  const { session, entries } = JSON.parse(json.stdout) as {
    session: { id: string };
    entries: readonly { entry: { type: string } }[];
  };
  assert.equal(session.id, id);
  assert.equal(entries[0]?.entry.type, 'turn.admitted');
  assert.equal(entries.at(-1)?.entry.type, 'turn.settled');
});

test('a search finds words in what was said and in what tools put out', async () => {
  await using desk = await openUsedDesk();
  const sessions = await list(desk);
  const penguins = sessions.find(({ title }) => title.includes('penguins'))?.id ?? '';

  const said = await desk.run(['sessions', 'search', 'cannot', 'fly']);
  const put = await desk.run(['sessions', 'search', 'emperor', '--json']);
  const nothing = await desk.run(['sessions', 'search', 'walrus']);

  assert.match(said.stdout, new RegExp(`^${penguins} {2}now {2}assistant: .*fly`));
  const { hits } = JSON.parse(put.stdout) as { hits: readonly { sessionId: string }[] };
  assert.ok(hits.length > 0 && hits.every(({ sessionId }) => sessionId === penguins));
  assert.deepEqual(nothing, { stdout: '', stderr: 'Nothing was found.\n', code: 0 });
});

test('an export is a document with everything in it, and private as a file', async () => {
  await using desk = await openUsedDesk();
  const id = (await list(desk)).find(({ title }) => title.includes('penguins'))?.id ?? '';

  const markdown = await desk.run(['sessions', 'export', id]);
  const written = await desk.run(['sessions', 'export', id, '--format', 'json', '-o', 'out.json']);
  const wrong = await desk.run(['sessions', 'export', id, '--format', 'pdf']);

  assert.match(
    markdown.stdout,
    /^# tell me about penguins\n\n- session: ses_[\s\S]*\n## You\n\ntell me about penguins\n\n### terminal \{"command":"echo emperor"\}\n\n```\nemperor\n?```\n\n## Talaria\n\nPenguins cannot fly\.\n$/,
  );
  assert.deepEqual(written, { stdout: '', stderr: '', code: 0 });
  const file = join(desk.workdir, 'out.json');
  const exported = JSON.parse(await readFile(file, 'utf8')) as { session: { id: string }; entries: readonly unknown[] };
  assert.equal(exported.session.id, id);
  assert.ok(exported.entries.length > 5);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(wrong.code, 2);
});

test('an export replaces no file unless it is told to, and what is no file is written to', async () => {
  await using desk = await openUsedDesk();
  const id = (await list(desk))[0]?.id.slice(-8) ?? '';
  const file = join(desk.workdir, 'out.md');
  await writeFile(file, 'mine', { mode: 0o644 });

  const refused = await desk.run(['sessions', 'export', id, '-o', file]);
  const kept = await readFile(file, 'utf8');
  const replaced = await desk.run(['sessions', 'export', id, '-o', file, '--force']);
  const discarded = await desk.run(['sessions', 'export', id, '-o', '/dev/null']);

  assert.deepEqual(refused, {
    stdout: '',
    stderr: `talaria: ${file} exists; --force replaces it\nSee: talaria help sessions export\n`,
    code: 2,
  });
  assert.equal(kept, 'mine');
  assert.deepEqual([replaced.code, discarded.code], [0, 0]);
  assert.match(await readFile(file, 'utf8'), /^# tell me about otters\n/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('deleting asks first, and where nobody can be asked it deletes nothing without -y', async () => {
  await using desk = await openUsedDesk();
  const [otters, penguins] = await list(desk);

  const refused = await desk.run(['sessions', 'delete', otters?.id ?? ''], { input: 'y\n' });
  const mistyped = await desk.run(['sessions', 'rm', '-y', otters?.id ?? '', 'nonsense']);
  const before = (await list(desk)).length;
  const deleted = await desk.run(['sessions', 'rm', '-y', otters?.id ?? '']);

  assert.equal(refused.code, 2);
  assert.equal(mistyped.code, 1);
  assert.equal(before, 2);
  assert.deepEqual(deleted, {
    stdout: `${otters?.id} is deleted, with everything that was kept for it\n`,
    stderr: '',
    code: 0,
  });
  assert.deepEqual(await list(desk), [penguins]);
});

test('what was deleted can be found nowhere in the home', async () => {
  await using desk = await openUsedDesk();
  const id = (await list(desk)).find(({ title }) => title.includes('penguins'))?.id ?? '';

  await desk.run(['sessions', 'delete', '-y', id]);

  const found = await desk.run(['sessions', 'search', 'penguins']);
  assert.equal(found.stdout, '');
  for (const entry of await readdir(desk.home, { recursive: true, withFileTypes: true })) {
    assert.ok(!entry.name.includes(id), entry.name);
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    assert.ok(!bytes.includes('Penguins'), join(entry.parentPath, entry.name));
  }
});

for (const args of [['-c'], ['run', '-c', 'go on']]) {
  test(`a session past its retention can be looked at, and \`talaria ${args.join(' ')}\` forgets it before it chooses`, async () => {
    await using desk = await openDesk([says('Hello.')]);
    await desk.run(['run', 'hello']);
    await makeOlder(desk, 40);
    const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
    await desk.setConfig({ model, storage: { retention_days: 30 } });

    const looked = await desk.run(['sessions', 'list']);
    const continued = await desk.run(args);

    assert.match(looked.stdout, /hello/);
    assert.equal(continued.code, 1);
    assert.match(continued.stderr, /there is no session to continue/);
    assert.equal(desk.server.requests.length, 1);
  });
}

async function makeOlder(desk: Desk, days: number): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(desk.home, 'state', 'talaria.db'));
  database.exec(`UPDATE sessions SET active_at = active_at - ${days * 24 * 60 * 60 * 1000}`);
  database.close();
}
