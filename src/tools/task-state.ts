import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionId } from '../base/ids.ts';
import type { ToolPlace } from '../model/tool.ts';

/**
 * The files in which shells leave their environment and folder for the next command, one for each session, so that both
 * survive a restart. Bash reads such a file up to this line; below it stands the folder, which it never reads.
 */
export const folderMark = 'return # the folder:';

/** Where the shells of the sessions stand. */
export class TaskState {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.#folder, sessionId);
  }

  /**
   * Where the session's shell stands: the folder its last command ended in, or the nearest one above it that still
   * exists; before the first command, the folder that the session was opened in.
   */
  currentFolder(place: ToolPlace): string {
    let folder = this.recordedFolder(place);
    while (!isFolder(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return folder;
  }

  recordedFolder(place: ToolPlace): string {
    const state = readState(stateFile(this.folderOf(place.sessionId)));
    return (state === undefined ? undefined : recordedIn(state)) ?? place.workdir;
  }
}

export function stateFile(taskFolder: string): string {
  return join(taskFolder, 'shell');
}

/** Synchronous: the file is small, and footprints cannot wait. */
export function readState(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The folder written at the end of a state; undefined where the end is missing. */
export function recordedIn(state: string): string | undefined {
  const mark = state.lastIndexOf(`\n${folderMark}\n`);
  const folder = state.slice(mark + folderMark.length + 2, -1);
  return mark !== -1 && folder.startsWith('/') && state.endsWith('\n') ? folder : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
