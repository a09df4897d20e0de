import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SessionId } from '../../src/base/ids.ts';
import { BackgroundProcesses } from '../../src/tools/processes/background-processes.ts';
import { processesWith } from '../../src/tools/shell/process-group.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import type { ModelScript, SeenRequest } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openTestHouse } from '../support/test-house.ts';
import { withUsualSettings } from '../support/usual-settings.ts';

const child = fileURLToPath(new URL('../support/house-child.ts', import.meta.url));
const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux shows what a process holds' };
const numbers = [1, 2, 3];

interface SentMessage {
  readonly role: string;
  readonly content: string;
}

function messagesOf(request: SeenRequest): readonly SentMessage[] {
  return request.json?.['messages'] as unknown as readonly SentMessage[];
}

function resultsIn(request: SeenRequest): readonly string[] {
  return messagesOf(request).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
}

function commandOf(number: number): string {
  return `echo ran >> ledger-${number}; while [ ! -e go ]; do sleep 0.01; done; seq 1 2000; exit ${number}`;
}

/** Starts three, one after the other, and waits for all of them when it is asked to. */
const script: ModelScript = (request) => {
  const results = resultsIn(request);
  const started = numbers[results.length];
  if (started !== undefined) return callsTool('terminal', { command: commandOf(started), background: true });
  const isAsked = messagesOf(request).some(({ content }) => content === 'wait for them');
  if (!isAsked || results.length >= 6) return says('Well.');
  const ids = results.map((text) => /proc_[0-9a-f]{8}/.exec(text)?.[0] ?? '');
  return callsTools(ids.map((id) => ({ name: 'process', args: { action: 'wait', id } })));
};

for (const [point, passes] of [
  ['turn-settled', 0],
  ['tool-ran', 1],
  ['tool-settled', 2],
] as const) {
  test(`three processes outlive a gateway that is killed at ${point}, are found again with all they said, and ran once`, async () => {
    await using folder = await makeTempFolder();
    await using server = await startModelServer(script);
    const [home, workdir] = [join(folder.path, 'home'), join(folder.path, 'work')];
    await mkdir(home, { mode: 0o700 });
    await mkdir(workdir);
    const model = { provider: 'custom', base_url: server.baseUrl, default: 'scripted' };
    await writeFile(join(home, 'config.json'), JSON.stringify(withUsualSettings({ model })));

    assert.equal(await runChild([home, workdir, point, String(passes), 'start them']), 'SIGKILL');
    await runChild([home, workdir, '-', '0', '']);
    await writeFile(join(workdir, 'go'), '');
    await runChild([home, workdir, '-', '0', 'wait for them']);

    const begun = await Promise.all(numbers.map((number) => readFile(join(workdir, `ledger-${number}`), 'utf8')));
    const waited = resultsIn(server.requests.at(-1) as SeenRequest).slice(3);
    assert.deepEqual(begun, ['ran\n', 'ran\n', 'ran\n']);
    assert.deepEqual(
      waited.map((text) =>
        text
          .replace(/proc_[0-9a-f]+/, 'it')
          .split('\n')
          .slice(-2),
      ),
      numbers.map((number) => ['2000', `[it has ended with exit code ${number}; the output ends at byte 8893]`]),
    );
    const tasks = join(home, 'tasks');
    const session = (await readdir(tasks)).find((name) => name.startsWith('ses_')) ?? '';
    assert.deepEqual(new BackgroundProcesses(tasks).running(session as SessionId), []);
    assert.deepEqual(processesWith(`TALARIA_SESSION=${session}`), []);
  });
}

/** Runs the program to its end, natural or not, and returns the signal that ended it. */
async function runChild(args: readonly string[]): Promise<string | null | undefined> {
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [child, ...args], (error, _stdout, stderr) => {
      if (error && error.signal !== 'SIGKILL') reject(new Error(`${error.message}\n${stderr}`));
      else resolve(error?.signal);
    });
  });
}

async function countHandles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

test('thirty turns with processes leave no process, no handle and no file behind', onLinux, async () => {
  await using house = await openTestHouse({
    script: (request) => {
      const last = messagesOf(request).at(-1);
      if (last?.role === 'user' && !last.content.startsWith('['))
        return callsTool('terminal', { command: 'echo hi; sleep 1000', background: true });
      const id = /^Started (proc_[0-9a-f]{8})/.exec(last?.content ?? '')?.[1];
      return id === undefined ? says('Done.') : callsTool('process', { action: 'kill', id });
    },
  });
  await house.say('first');
  const { id } = await house.session();
  const before = await countHandles();

  for (let turn = 0; turn < 30; turn += 1) assert.equal(await house.say('again'), 'Done.');

  // A connection more or less is no leak; one of each turn would be thirty.
  assert.ok((await countHandles()) < before + 10, 'handles are left open');
  assert.deepEqual(processesWith(`TALARIA_SESSION=${id}`), []);
  await house.admit('/new');
  const tasks = async (): Promise<readonly string[]> =>
    (await readdir(join(house.home, 'tasks'))).filter((name) => name.startsWith('ses_'));
  while ((await tasks()).length > 0) await nextTick();
});
