import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from '../../base/log.ts';

const largestBytes = 5 * 1024 * 1024;

/** A sink that appends to `talaria.log` in the folder and keeps one older file. Nothing is touched before the first line. */
export function createLogFile(folder: string): LogSink {
  const path = join(folder, 'talaria.log');
  return (line) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > largestBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  };
}
