import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeTempFolder } from './temp-folder.ts';

export type SmallDisk =
  | ({
      readonly type: 'mounted';
      readonly path: string;
      readonly remount: (options: string) => Promise<void>;
    } & AsyncDisposable)
  | ({ readonly type: 'impossible'; readonly reason: string } & AsyncDisposable);

const run = promisify(execFile);

/** A real file system of a given size in memory, where this system lets us mount one. */
export async function mountSmallDisk(kilobytes: number): Promise<SmallDisk> {
  const folder = await makeTempFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', folder.path]);
  } catch (thrown) {
    await folder[Symbol.asyncDispose]();
    const reason = `no small disk can be mounted here: ${String(thrown).split('\n')[0]}`;
    return { type: 'impossible', reason, [Symbol.asyncDispose]: async () => undefined };
  }
  return {
    type: 'mounted',
    path: folder.path,
    async remount(options) {
      await run('mount', ['-o', `remount,${options}`, folder.path]);
    },
    async [Symbol.asyncDispose]() {
      // Lazily: a test that failed may have left a store open on it.
      await run('umount', ['-l', folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
