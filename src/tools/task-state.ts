import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { ToolPlace } from '../model/tool.ts';

/**
 * Stands in the files in which shells leave their environment and folder for the next command, one for each session, so
 * that both survive a restart. Bash reads such a file up to this line; below it stands the folder, which it never reads.
 */
export const folderMark = 'return # the folder:';

/** Where the shells of the sessions stand. Nobody else writes the files, so a folder that was read once is known. */
export class TaskState {
  readonly #folder: string;
  readonly #recorded = new Map<SessionId, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.#folder, sessionId);
  }

  fileOf(sessionId: SessionId): string {
    return join(this.folderOf(sessionId), 'shell');
  }

  /** Makes the session's folder. Whoever ends the task tells by it that there may be something to end. */
  begin(sessionId: SessionId): void {
    mkdirSync(this.folderOf(sessionId), { recursive: true, mode: 0o700 });
  }

  /**
   * Where the session's shell stands: the folder its last command ended in, or the nearest one above it that still
   * exists; before the first command, the folder that the session was opened in.
   */
  currentFolder(place: ToolPlace): string {
    return nearestFolder(this.recordedFolder(place));
  }

  recordedFolder({ sessionId, workdir }: ToolPlace): string {
    const known = this.#recorded.get(sessionId);
    if (known !== undefined) return known;
    const state = readState(this.fileOf(sessionId));
    const folder = state === undefined ? undefined : recordedIn(state);
    if (folder !== undefined) this.#recorded.set(sessionId, folder);
    return folder ?? workdir;
  }

  /**
   * Makes what a command left the state that the next one takes up, in one step; what is not whole changes nothing.
   * Returns what went wrong, if anything did.
   */
  keep(sessionId: SessionId, state: Buffer): string | undefined {
    const file = this.fileOf(sessionId);
    const folder = recordedIn(state);
    // Most commands change nothing, and putting a file in the place of another makes some file systems wait for the disk.
    if (folder === undefined || readState(file)?.equals(state) === true) return undefined;
    try {
      writeFileSync(`${file}.new`, state, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      this.#recorded.set(sessionId, folder);
      return undefined;
    } catch (thrown) {
      // A missing folder means that the task was ended meanwhile.
      return systemErrorCode(thrown) === 'ENOENT' ? undefined : describeError(thrown);
    }
  }

  async remove(sessionId: SessionId): Promise<void> {
    this.#recorded.delete(sessionId);
    await rm(this.folderOf(sessionId), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The folder itself, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  let folder = path;
  while (!isFolder(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Synchronous: the file is small, and footprints cannot wait. Bytes, since a variable may hold what is no text. */
function readState(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The folder written at the end of a state; undefined where the end is missing. */
function recordedIn(state: Buffer): string | undefined {
  const mark = state.lastIndexOf(`\n${folderMark}\n`);
  const folder = state.toString('utf8', mark + folderMark.length + 2);
  return mark !== -1 && folder.startsWith('/') && folder.endsWith('\n') ? folder.slice(0, -1) : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
