import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTempFolder } from '../test/support/temp-folder.ts';
import { runToEnd } from './measure.ts';
import type { Command } from './measure.ts';

const root = join(import.meta.dirname, '..');

/** The program as people install it: packed, unpacked elsewhere, run by its launcher on this Node. */
export interface Product extends AsyncDisposable {
  /** The unpacked package. */
  readonly folder: string;
  /** Its home. */
  readonly home: string;
  /** A folder for the small programs that serve as floors. */
  readonly bareFolder: string;
  talaria(args: readonly string[]): Command;
  /** Writes a bare program, to measure what its work takes without the product. */
  writeBare(name: string, text: string): Promise<Command>;
}

export async function preparePackage(config: string): Promise<Product> {
  await using cleanup = new AsyncDisposableStack();
  const { path: top } = cleanup.use(await makeTempFolder());
  const folder = join(top, 'package');
  const home = join(top, 'home');
  const bareFolder = join(top, 'bare');
  const env = { PATH: process.env['PATH'], HOME: top, TALARIA_HOME: home, LANG: 'C.UTF-8' };
  await runToEnd({ file: 'npm', args: ['pack', '--pack-destination', top], cwd: root });
  await runToEnd({ file: 'sh', args: ['-c', 'tar -xzf *.tgz'], cwd: top });
  await symlink(join(root, 'node_modules'), join(top, 'node_modules'));
  // As after a first start: the folder for compiled code is there, and the warm-up of each measurement fills it.
  await mkdir(join(home, 'cache'), { recursive: true, mode: 0o700 });
  await mkdir(bareFolder);
  await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
  const kept = cleanup.move();
  return {
    folder,
    home,
    bareFolder,
    talaria: (args) => ({
      file: process.execPath,
      args: [join(folder, 'bin', 'talaria.js'), ...args],
      env,
      cwd: bareFolder,
    }),
    async writeBare(name, text) {
      await writeFile(join(bareFolder, name), text);
      return { file: process.execPath, args: [join(bareFolder, name)], env, cwd: bareFolder };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
