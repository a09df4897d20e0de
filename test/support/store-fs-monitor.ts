import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

type AnyFunction = (...values: readonly unknown[]) => unknown;

const liveFile = /^(talaria|owner)\.db(-wal|-shm|-journal)?$/;
// What looks at a name and opens nothing.
const harmless: ReadonlySet<string> = new Set(['stat', 'lstat', 'chmod', 'exists', 'access', 'realpath']);

/** From now on, every use of `node:fs` that could open, replace or remove a live database is reported. */
export function monitorFileSystem(report: (use: string) => void): void {
  for (const module of [fs, fs.promises]) {
    const functions = module as unknown as Record<string, unknown>;
    for (const [name, original] of Object.entries(functions)) {
      if (typeof original === 'function' && /^[a-z]/.test(name))
        functions[name] = watched(name, original as AnyFunction, report);
    }
  }
  syncBuiltinESMExports();
}

function watched(name: string, original: AnyFunction, report: (use: string) => void): AnyFunction {
  return function call(this: unknown, ...values) {
    if (!harmless.has(name.replace(/Sync$/, ''))) {
      for (const value of values.slice(0, 2)) {
        const file = typeof value === 'string' ? basename(value) : '';
        if (liveFile.test(file)) report(`${name} ${file}`);
      }
    }
    return original.apply(this, [...values]);
  };
}
