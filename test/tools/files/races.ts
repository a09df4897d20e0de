import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeToText } from '../../../src/model/message.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

const canary = 'canary';
// Stands behind it in what may not be read, and nowhere in what a call says.
const secret = '-77ab';
const inside = 'inside';

export interface RaceCounts {
  readonly read: number;
  readonly write: number;
  readonly patch: number;
  readonly search: number;
}

/** How often a call did what it was asked to, on the true file. */
export type RaceReport = RaceCounts;

/**
 * Calls while somebody swaps a folder and a file that they name for links into what may not be read, and out of the
 * working folder, as fast as he can. Fails where anything was read or written there without a question.
 */
export async function runRaces(counts: RaceCounts): Promise<RaceReport> {
  await using bench = await openToolBench();
  const { workdir, home, userHome } = bench;
  const [state, ssh] = [join(home, 'state'), join(userHome, '.ssh')];
  for (const folder of [state, ssh, join(workdir, 'folder'), join(workdir, 'keys')]) await mkdir(folder);
  for (const folder of [state, ssh]) await writeFile(join(folder, 'note'), canary + secret);
  for (const folder of ['folder', 'keys']) await writeFile(join(workdir, folder, 'note'), inside);
  await writeFile(join(workdir, 'file'), inside);
  const before = await Promise.all([state, ssh].map(contentOf));

  await using _flipper = await startFlipping([
    [join(workdir, 'folder'), state],
    [join(workdir, 'keys'), ssh],
    [join(workdir, 'file'), join(state, 'note')],
  ]);
  const report = {
    read: await repeat(bench, counts.read, 'read_file', (path) => ({ path })),
    write: await repeat(bench, counts.write, 'write_file', (path) => ({ path, content: inside })),
    patch: await repeat(bench, counts.patch, 'patch', (path, turn) =>
      turn % 2 === 0
        ? { path, old_string: inside, new_string: `${inside} out` }
        : { path, old_string: canary, new_string: 'patched' },
    ),
    search: await repeat(bench, counts.search, 'search_files', (path, turn) => {
      const pattern = `${canary}|${inside}`;
      return { pattern, path: turn % 2 === 0 ? path : (path.split('/')[0] ?? '') };
    }),
  };

  assert.deepEqual(await Promise.all([state, ssh].map(contentOf)), before);
  return report;
}

async function contentOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(folder)).toSorted();
  return await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const));
}

const paths = ['folder/note', 'keys/note', 'file', 'folder/new/deep'];

async function repeat(
  bench: ToolBench,
  times: number,
  tool: string,
  input: (path: string, turn: number) => JsonObject,
): Promise<number> {
  let done = 0;
  if (times === 0) return done;
  // On a busy machine the link may stand for a long time: then it goes on until the true file was met as well.
  for (let turn = 0; turn < times || done === 0; turn += 1) {
    const path = paths[turn % paths.length] ?? '';
    const { risk, run } = await bench.prepare(tool, input(path, Math.floor(turn / paths.length)));
    if (risk.type !== 'safe') continue;
    const outcome = await run();
    assert.ok(!outcomeToText(outcome).includes(secret), `${tool} ${path}: ${outcomeToText(outcome)}`);
    if (outcome.type === 'done') done += 1;
  }
  return done;
}

async function startFlipping(pairs: readonly (readonly [string, string])[]): Promise<AsyncDisposable> {
  const program = join(import.meta.dirname, '..', '..', 'support', 'flip-links.ts');
  const child = spawn(process.execPath, [program, ...pairs.flat()], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const [code] = (await ended) as [number | null];
      assert.equal(code, 0);
    },
  };
}
