import { realpathSync, statSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { isInside } from '../../base/is-inside.ts';
import { parseJson } from '../../base/json.ts';
import { describeProblems, integer, list, object, optional, string } from '../../model/schema.ts';
import type { SeenFile, TrustedFolder } from '../../model/trust.ts';
import { readTextFile } from '../read-text-file.ts';
import { takeFileLock } from './file-lock.ts';
import { stampOf } from './file-stamp.ts';
import { writeAtomically } from './write-atomically.ts';

interface TrustList {
  readonly folders: readonly TrustedFolder[];
  readonly seen: readonly SeenFile[];
}

type Listed = ({ readonly type: 'read' } & TrustList) | { readonly type: 'broken'; readonly problem: string };

const schema = object({
  folders: list(object({ path: string('a folder'), since: integer('when') }), 'trusted folders'),
  seen: optional(list(object({ path: string('a file'), digest: string('what it said') }), 'files that were looked at')),
});

/**
 * The folders that the user trusts, in a file of the home. It is looked at anew each time, and read anew only where it
 * was written. Where it cannot be read nothing is trusted.
 */
export class TrustedFolders {
  readonly #file: string;
  #stamp = '';
  #listed: Listed = { type: 'read', folders: [], seen: [] };

  constructor(file: string) {
    this.#file = file;
  }

  /** The trusted folders that a folder is in, or is, by their real paths; the outermost first. */
  around(folder: string): readonly string[] {
    const listed = this.#look();
    if (listed.type === 'broken' || listed.folders.length === 0) return [];
    const real = realFolder(folder);
    if (real === undefined) return [];
    return listed.folders.map(({ path }) => path).filter((path) => isInside(real, path));
  }

  /** By path. Throws `bad-config` where the file cannot be read. */
  list(): readonly TrustedFolder[] {
    return this.#read().folders;
  }

  /** Whether a file was looked at with these contents. What is trusted by its folder alone need not be. */
  hasSeen(path: string, digest: string): boolean {
    const listed = this.#look();
    return listed.type === 'read' && listed.seen.some((file) => file.path === path && file.digest === digest);
  }

  /** Differs whenever the list was written. */
  stamp(): string {
    return stampOf(this.#file);
  }

  async add(folder: TrustedFolder): Promise<void> {
    await this.#change(({ folders, seen }) => ({
      folders: [...folders.filter(({ path }) => path !== folder.path), folder],
      seen,
    }));
  }

  async noteSeen(file: SeenFile): Promise<void> {
    await this.#change(({ folders, seen }) => ({
      folders,
      seen: [...seen.filter(({ path }) => path !== file.path), file],
    }));
  }

  /** What was looked at in it is forgotten, too. */
  async remove(path: string): Promise<void> {
    await this.#change(({ folders, seen }) => ({
      folders: folders.filter((folder) => folder.path !== path),
      seen: seen.filter((file) => !isInside(file.path, path)),
    }));
  }

  #read(): TrustList {
    const listed = this.#look();
    if (listed.type === 'read') return listed;
    throw new AppError('bad-config', `${this.#file} cannot be used, so that no folder is trusted: ${listed.problem}`);
  }

  /** Another process changes the file, too: what was read before the lock may bring back what that one took out. */
  async #change(change: (list: TrustList) => TrustList): Promise<void> {
    await using _lock = await takeFileLock(`${this.#file}.lock`);
    const { folders, seen } = change(this.#read());
    const sorted = folders.toSorted((left, right) => (left.path < right.path ? -1 : 1));
    const written = { folders: sorted, ...(seen.length > 0 && { seen }) };
    await writeAtomically(this.#file, `${JSON.stringify(written, null, 2)}\n`);
  }

  #look(): Listed {
    const stamp = stampOf(this.#file);
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#listed = readList(this.#file);
    }
    return this.#listed;
  }
}

/** The folder that a path leads to, once every link in it is followed; undefined where there is none. */
export function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined; // gone, or closed to us: either way there is nothing there to trust
  }
}

function readList(file: string): Listed {
  const found = readTextFile(file);
  if (found.type === 'missing') return { type: 'read', folders: [], seen: [] };
  if (found.type === 'refused') return { type: 'broken', problem: found.problem };
  const parsed = schema.parse(parseJson(found.text) ?? null);
  if (parsed.type === 'invalid') return { type: 'broken', problem: describeProblems(parsed.problems) };
  return { type: 'read', folders: parsed.value.folders, seen: parsed.value.seen ?? [] };
}
