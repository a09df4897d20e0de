import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Why a small disk cannot be had on this machine, or false. */
export function whyNoSmallDisk(): string | false {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  return process.getuid?.() === 0 ? false : 'mounting a small disk takes root';
}

export interface SmallDisk extends Disposable {
  fill(): void;
  makeRoom(): void;
}

/** Puts a disk of a few megabytes at the folder, to be filled and emptied. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  return {
    fill() {
      const file = openSync(ballast, 'w');
      try {
        const block = Buffer.alloc(4096);
        for (;;) writeSync(file, block);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]),
  };
}
