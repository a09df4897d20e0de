import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from '../../base/log.ts';

const largestBytes = 5 * 1024 * 1024;

/**
 * A sink that appends to `talaria.log` in the folder and keeps one older file. Nothing is touched before the first line.
 * It never throws: what cannot be logged must not break what was to be logged. The next line that fits says how many
 * were lost.
 */
export function createLogFile(folder: string): LogSink {
  const path = join(folder, 'talaria.log');
  let lost = 0;
  return (line) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > largestBytes) renameSync(path, `${path}.1`);
      const gap = lost === 0 ? '' : `{"message":"${lost} lines could not be written"}\n`;
      appendFileSync(path, `${gap}${line}\n`, { mode: 0o600 });
      lost = 0;
    } catch {
      lost += 1;
    }
  };
}
