import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

/** A new empty folder that is removed, with all that is in it, when the test lets go of it. */
export async function makeTempFolder(parent = tmpdir()): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(parent, 'talaria-test-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
