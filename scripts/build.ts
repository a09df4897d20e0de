import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

// Node strips no types below node_modules, so what is published is JavaScript, made from the sources by the compiler.
const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules', '.bin', 'tsc');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const { status } = spawnSync(compiler, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
