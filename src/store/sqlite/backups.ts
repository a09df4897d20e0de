import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { closeToOthers, ensurePrivateFolder } from '../private-folder.ts';
import type { Database } from './database.ts';

const kept = 2;
const finished = /^talaria-schema-\d+-(?<time>[\dTZ-]+)\.db$/;

/** Keeps a whole copy of the database, made by SQLite itself. The newest two stay. */
export function makeBackup(db: Database, folder: string, copy: { version: number; now: number }): string {
  ensurePrivateFolder(folder);
  for (const name of readdirSync(folder)) if (!finished.test(name)) rmSync(join(folder, name));

  const time = new Date(copy.now).toISOString().replaceAll(/[:.]/g, '-');
  const path = join(folder, `talaria-schema-${copy.version}-${time}.db`);
  copyWhole(db, path);
  for (const old of listBackups(folder).slice(kept)) rmSync(join(folder, old));
  return path;
}

/** Only a whole copy gets the name of one. */
function copyWhole(db: Database, path: string): void {
  const partial = `${path}.partial`;
  try {
    db.run('VACUUM INTO ?', partial);
    closeToOthers(partial);
    renameSync(partial, path);
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw thrown;
  }
}

export function newestBackup(folder: string): string | undefined {
  const [newest] = listBackups(folder);
  return newest === undefined ? undefined : join(folder, newest);
}

/** A deleted session cannot be taken out of a copy, so the copies go with it. */
export function removeBackups(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Newest first. */
function listBackups(folder: string): readonly string[] {
  return readFolder(folder)
    .filter((name) => finished.test(name))
    .toSorted((left, right) => timeOf(right).localeCompare(timeOf(left)));
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function timeOf(name: string): string {
  return finished.exec(name)?.groups?.['time'] ?? '';
}
