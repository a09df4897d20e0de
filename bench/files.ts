import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import type { CallId, PersonId } from '../src/base/ids.ts';
import { outcomeToText } from '../src/model/message.ts';
import type { JsonObject } from '../src/base/json.ts';
import { Checkpoints } from '../src/tools/checkpoints/checkpoints.ts';
import { createToolbox } from '../src/tools/create-toolbox.ts';
import { findRipgrep } from '../src/tools/files/ripgrep.ts';
import { noPostbox } from '../test/support/no-postbox.ts';
import type { Figure } from './figure.ts';
import { medianTimes, runToEnd } from './measure.ts';
import type { Product } from './product.ts';

const rounds = 11;
const folders = 500;
const filesEach = 100;
const lines = 20_000;

/** A search over 50,000 files beside bare ripgrep, and a patch of a long file beside a bare durable rewrite. */
export async function measureFiles(product: Product): Promise<readonly Figure[]> {
  const base = join(product.bareFolder, 'files');
  const [many, long] = [join(base, 'many'), join(base, 'long.txt')];
  await fill(many);
  await writeFile(long, Array.from({ length: lines }, (_, index) => `line ${index} of a long file`).join('\n'));
  const program = (await findRipgrep(process.env['PATH'] ?? '')) ?? 'rg';
  const call = openCalls(base);
  let edits = 0;

  const times = await medianTimes(
    {
      ripgrep: () => runToEnd({ file: program, args: ['-n', '--sort', 'path', 'needle', many] }),
      search: () => call('search_files', { pattern: 'needle', path: many }),
      rewrite: () => rewrite(long),
      patch: () => call('patch', { path: long, old_string: mark(edits), new_string: mark((edits += 1)) }),
    },
    rounds,
  );

  const search = { name: 'a search over 50,000 files', value: times.search, unit: 'ms' } as const;
  const patch = { name: `a patch on ${lines.toLocaleString('en')} lines`, value: times.patch, unit: 'ms' } as const;
  return [
    { ...search, floor: { name: 'bare ripgrep', value: times.ripgrep }, bar: { type: 'none' } },
    { ...patch, floor: { name: 'a bare durable rewrite', value: times.rewrite }, bar: { type: 'none' } },
  ];
}

/** The line that is changed, in the middle; each time it is another one. */
function mark(edits: number): string {
  return edits === 0 ? 'line 10000 of a long file' : `line 10000 after ${edits} edits`;
}

async function fill(root: string): Promise<void> {
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, `folder-${folder}`);
    await mkdir(path, { recursive: true });
    const content = folder % 50 === 0 ? 'hay\nneedle\n' : 'hay\nhay\n';
    await Promise.all(
      Array.from({ length: filesEach }, (_, file) =>
        writeFile(join(path, `${file}.txt`), file === 0 ? content : 'hay\n'),
      ),
    );
  }
}

function openCalls(base: string): (name: string, input: JsonObject) => Promise<void> {
  const taskFolder = join(base, 'tasks');
  const toolbox = createToolbox({
    taskFolder,
    homeFolder: join(base, 'home'),
    checkpoints: new Checkpoints({ taskFolder, clock: systemClock }),
    postbox: noPostbox,
    terminal: { timeoutMs: 60_000, envPassthrough: [] },
    environment: process.env,
    clock: systemClock,
  });
  const sessionId = newId('session', Date.now());
  return async (name, input) => {
    const outcome = await toolbox.tools.get(name)?.run(input, {
      sessionId,
      workdir: base,
      turnId: newId('turn', Date.now()),
      callId: 'call_1' as CallId,
      person: 'bench' as PersonId,
      signal: new AbortController().signal,
      idempotencyKey: 'bench',
      ask: () => Promise.resolve({ type: 'nobody' }),
      progress: () => undefined,
      keepImage: () => Promise.resolve('no model sees it'),
      readBlob: () => Promise.resolve(undefined),
    });
    // A call that failed is fast, and worth nothing as a figure.
    if (outcome?.type !== 'done') throw new Error(outcome === undefined ? `no ${name}` : outcomeToText(outcome));
  };
}

async function rewrite(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const temporary = `${path}.${randomBytes(4).toString('hex')}`;
  {
    await using file = await open(temporary, 'wx');
    await file.writeFile(text);
    await file.sync();
  }
  await rename(temporary, path);
}
