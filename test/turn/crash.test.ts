import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import { faultPoints } from '../../src/model/faults.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { LoggedEntry } from '../../src/model/turn.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { withUsualSettings } from '../support/usual-settings.ts';

const child = fileURLToPath(new URL('../support/house-child.ts', import.meta.url));

/** A model that decides by the results it has seen, as a real one does: asked again it says the same again. */
const script: ModelScript = (request) => {
  const messages = request.json?.['messages'];
  const results = Array.isArray(messages)
    ? messages.filter((each) => isJsonObject(each) && each['role'] === 'tool').length
    : 0;
  if (results === 0) return callsTool('terminal', { command: 'echo ran >> ledger' }, { id: 'unsafe' });
  if (results === 1) {
    return callsTools([
      { name: 'read_file', args: { path: 'given.txt' }, id: 'read' },
      { name: 'write_file', args: { path: 'note.txt', content: 'noted\n' }, id: 'write' },
    ]);
  }
  return says('All done.');
};

interface Shown {
  readonly kind: string;
  readonly text: string;
  readonly copy: string;
}

interface Place {
  readonly home: string;
  readonly workdir: string;
}

/** Runs the child to its end, natural or not, and returns what its terminal showed. */
async function runChild(
  place: Place,
  fatalPoint: string,
  passes: number,
  message: string,
): Promise<{ shown: Shown[]; signal: string | null }> {
  const args = [child, place.home, place.workdir, fatalPoint, String(passes), message];
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      if (error && error.signal !== 'SIGKILL') {
        reject(new Error(`${error.message}\n${stderr}`));
        return;
      }
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve({ shown: lines.map((line) => JSON.parse(line) as Shown), signal: error?.signal ?? null });
    });
  });
}

async function readLog(place: Place): Promise<readonly LoggedEntry[]> {
  const store = await openSqliteStore({ folder: join(place.home, 'state'), clock: systemClock, log: silentLog });
  try {
    const [session] = await store.sessions.list({ limit: 1 });
    return session ? await store.turns.after(session.id, 0) : [];
  } finally {
    await store.close();
  }
}

async function openPlace(folder: string, origin: string): Promise<Place> {
  const place = { home: join(folder, 'home'), workdir: join(folder, 'work') };
  await mkdir(place.home, { mode: 0o700 });
  await mkdir(place.workdir);
  await writeFile(join(place.workdir, 'given.txt'), 'given\n');
  const model = { provider: 'custom', base_url: `${origin}/v1`, default: 'scripted' };
  await writeFile(join(place.home, 'config.json'), JSON.stringify(withUsualSettings({ model })));
  return place;
}

function count(log: readonly LoggedEntry[], type: string): number {
  return log.filter(({ entry }) => entry.type === type).length;
}

function outcomes(log: readonly LoggedEntry[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { entry } of log) if (entry.type === 'tool.settled') (found[entry.callId] ??= []).push(entry.outcome.type);
  return found;
}

function textOf(log: readonly LoggedEntry[], callId: string): string | undefined {
  const settled = log
    .map(({ entry }) => entry)
    .find((entry) => entry.type === 'tool.settled' && entry.callId === callId);
  return settled?.type === 'tool.settled' ? outcomeToText(settled.outcome) : undefined;
}

for (const point of faultPoints) {
  test(`kill -9 at the point ${point}: the next start goes on, and everything happened exactly once`, async () => {
    await using folder = await makeTempFolder();
    await using server = await startModelServer(script);
    const place = await openPlace(folder.path, server.origin);

    const first = await runChild(place, point, 0, 'do it');
    const second = await runChild(place, '-', 0, '');

    assert.equal(first.signal, 'SIGKILL');
    const log = await readLog(place);
    const isUnknown = point === 'tool-called';
    assert.deepEqual(outcomes(log), { unsafe: [isUnknown ? 'unknown' : 'done'], read: ['done'], write: ['done'] });
    assert.deepEqual(
      log.map(({ seq }) => seq),
      log.map((_, index) => index + 1),
    );
    assert.equal(count(log, 'turn.admitted'), 1);
    assert.equal(count(log, 'turn.settled'), 1);
    const ledger = await readFile(join(place.workdir, 'ledger'), 'utf8').catch(() => '');
    assert.equal(ledger, point === 'tool-called' ? '' : 'ran\n');
    const replies = [...first.shown, ...second.shown].filter(({ kind }) => kind === 'reply');
    assert.deepEqual(replies.at(-1)?.text, 'All done.');
    assert.ok(
      replies.slice(1).every(({ copy }) => copy === 'repeat'),
      'a second copy of the reply says that it is one',
    );
  });
}

test('D4 a tool that kills the process loses neither its call nor the results before it', async () => {
  await using folder = await makeTempFolder();
  // The shell's parent is the runner, and the runner's is the program.
  const killTheProgram = 'kill -9 $(ps -o ppid= -p $PPID); sleep 0.2; echo run >> ledger; echo survived; exit 3';
  const killer = callsTools([
    { name: 'write_file', args: { path: 'before.txt', content: 'kept\n' }, id: 'before' },
    { name: 'terminal', args: { command: killTheProgram }, id: 'killer' },
    { name: 'terminal', args: { command: 'echo after >> ledger' }, id: 'after' },
  ]);
  await using server = await startModelServer((_request, index) => (index === 0 ? killer : says('Recovered.')));
  const place = await openPlace(folder.path, server.origin);

  const first = await runChild(place, '-', 0, 'do it');
  const atDeath = await readLog(place);
  await runChild(place, '-', 0, '');
  const log = await readLog(place);

  assert.equal(first.signal, 'SIGKILL');
  assert.deepEqual(outcomes(atDeath), { before: ['done'] });
  assert.deepEqual(
    atDeath.flatMap(({ entry }) => (entry.type === 'step.finished' ? entry.message.calls.map(({ id }) => id) : [])),
    ['before', 'killer', 'after'],
  );
  assert.deepEqual(outcomes(log), { before: ['done'], killer: ['done'], after: ['done'] });
  assert.deepEqual(textOf(log, 'killer'), 'survived\n[exit code 3]');
  assert.equal(await readFile(join(place.workdir, 'ledger'), 'utf8'), 'run\nafter\n');
});

test('a file that the user edited after kill -9 is not written over by the next start', async () => {
  await using folder = await makeTempFolder();
  const poem = callsTool('write_file', { path: 'poem.txt', content: 'roses\n' }, { id: 'poem' });
  await using server = await startModelServer((_request, index) => (index === 0 ? poem : says('Recovered.')));
  const place = await openPlace(folder.path, server.origin);

  await runChild(place, 'tool-ran', 0, 'write a poem');
  const written = await readFile(join(place.workdir, 'poem.txt'), 'utf8');
  await writeFile(join(place.workdir, 'poem.txt'), 'violets\n');
  await runChild(place, '-', 0, '');

  assert.equal(written, 'roses\n');
  assert.equal(await readFile(join(place.workdir, 'poem.txt'), 'utf8'), 'violets\n');
  assert.deepEqual(outcomes(await readLog(place)), { poem: ['unknown'] });
});

test('a turn that ends the program twice in a row is parked, and its owner is told', async () => {
  await using folder = await makeTempFolder();
  await using server = await startModelServer(script);
  const place = await openPlace(folder.path, server.origin);

  await runChild(place, 'step-asked', 0, 'do it');
  await runChild(place, 'step-asked', 0, '');
  const third = await runChild(place, 'step-asked', 0, '');

  assert.equal(third.signal, null);
  assert.match(third.shown[0]?.text ?? '', /^Put aside: the program ended twice/);
});

test('a turn that ends the program twice in a row is parked however far it got in between', async () => {
  await using folder = await makeTempFolder();
  await using server = await startModelServer(script);
  const place = await openPlace(folder.path, server.origin);

  await runChild(place, 'tool-settled', 0, 'do it');
  await runChild(place, 'tool-settled', 0, '');
  const third = await runChild(place, '-', 0, '');

  assert.match(third.shown[0]?.text ?? '', /^Put aside: the program ended twice/);
  assert.deepEqual(outcomes(await readLog(place)), { unsafe: ['done'], read: ['done'], write: ['unknown'] });
});

test('a turn that only waits while the program ends, again and again, is run when its turn comes', async () => {
  await using folder = await makeTempFolder();
  await using server = await startModelServer(() => says('Done.'));
  const place = await openPlace(folder.path, server.origin);

  for (const message of ['first', 'second', 'third']) await runChild(place, 'admitted', 0, message);
  const last = await runChild(place, '-', 0, '');

  assert.deepEqual(
    last.shown.map(({ text }) => text),
    ['Done.', 'Done.', 'Done.'],
  );
});

test('a turn that is parked with a call open leaves a history that models accept', async () => {
  await using folder = await makeTempFolder();
  await using server = await startModelServer(script);
  const place = await openPlace(folder.path, server.origin);

  await runChild(place, 'approval-asked', 0, 'do it');
  await runChild(place, 'approval-asked', 0, '');
  await runChild(place, 'approval-asked', 0, '');
  await runChild(place, '-', 0, '');
  const log = await readLog(place);

  assert.equal(count(log, 'turn.settled'), 1);
  assert.deepEqual(Object.keys(outcomes(log)), ['unsafe']);
});

for (const point of ['tool-called', 'tool-ran'] as const) {
  test(`kill -9 at the point ${point} of a patch: whether it took effect is found out, and it takes effect once`, async () => {
    await using folder = await makeTempFolder();
    const patch = { path: 'given.txt', old_string: 'given', new_string: 'taken, and marked as such' };
    await using server = await startModelServer((request) =>
      request.body.includes('"role":"tool"') ? says('Done.') : callsTool('patch', patch, { id: 'patch' }),
    );
    const place = await openPlace(folder.path, server.origin);

    await runChild(place, point, 0, 'patch it');
    await runChild(place, '-', 0, '');

    assert.deepEqual(outcomes(await readLog(place)), { patch: ['done'] });
    assert.equal(await readFile(join(place.workdir, 'given.txt'), 'utf8'), 'taken, and marked as such\n');
  });
}
