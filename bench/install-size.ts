import { existsSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import type { Product } from './product.ts';

const root = join(import.meta.dirname, '..');

/** What an installation takes on disk: the package and what npm installs with it on this platform. */
export async function measureInstallSize(product: Product): Promise<readonly Figure[]> {
  const folders = await installedForProduction();
  const own = await sizeOf([product.folder]);
  const libraries = await sizeOf(folders.filter((folder) => !isNode(folder)));
  const node = await sizeOf(folders.filter(isNode));
  const size = { unit: 'MB', floor: undefined, bar: { type: 'none' } } as const;
  return [
    { ...size, name: 'install: the package alone', value: own },
    { ...size, name: 'install: with its libraries', value: own + libraries },
    { ...size, name: 'install: with its libraries and Node', value: own + libraries + node },
  ];
}

async function installedForProduction(): Promise<readonly string[]> {
  const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return Object.entries(lockfile.packages)
    .filter(([folder, { dev }]) => folder !== '' && dev !== true)
    .map(([folder]) => join(root, folder))
    .filter((folder) => existsSync(folder));
}

function isNode(folder: string): boolean {
  return /\/node-(bin-)?(linux|darwin)-/.test(folder);
}

async function sizeOf(folders: readonly string[]): Promise<number> {
  const sizes = folders.map(async (folder) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => lstat(join(entry.parentPath, entry.name)));
    return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1e6;
}
