import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

// Node strips no types below node_modules, so what is published is JavaScript. Modules that always load together become one
// file: to find and open each of two hundred takes a fifth of a whole one-shot run.
const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');
rmSync(outdir, { recursive: true, force: true });
buildSync({
  // A thread is started by the name of its file, which stands beside the chunks.
  entryPoints: [join(root, 'src', 'bin.ts'), join(root, 'src', 'tools', 'web', 'render-worker.ts')],
  entryNames: '[name]',
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  packages: 'external',
  logLevel: 'warning',
});
