import { hash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { ToolPlace } from '../model/tool.ts';

/**
 * Stands in the files in which shells leave their environment and folder for the next command, one for each session, so
 * that both survive a restart. Bash reads such a file up to this line; below it stands the folder, which it never reads.
 */
export const folderMark = 'return # the folder:';

const exportedName = /^(?:declare -\w+|export) (\w+)/gm;
const ownNames: ReadonlySet<string> = new Set(['OLDPWD', 'PWD', 'SHLVL', '_']);

function exportedIn(line: string): string {
  return /^(?:declare -\w+|export) (\w+)/.exec(line)?.[1] ?? '';
}

/** What a shell left: all of it as bash reads it, in bytes, since a variable may hold what is no text; and the folder. */
interface ShellState {
  readonly bytes: Buffer;
  readonly folder: string;
}

/** Where the shells of the sessions stand. Nobody else writes the files, so what was read or written once is known. */
export class TaskState {
  /** Holds one folder for each session. Whoever ends a task tells by that that there may be something to end. */
  readonly folder: string;
  readonly #states = new Map<SessionId, ShellState>();

  constructor(folder: string) {
    this.folder = folder;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.folder, sessionId);
  }

  fileOf(sessionId: SessionId): string {
    return join(this.folderOf(sessionId), 'shell');
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

  recordedFolder({ sessionId, workdir }: ToolPlace): string {
    return this.#stateOf(sessionId)?.folder ?? workdir;
  }

  /**
   * The value of a variable that the session's last command left exported: empty where it was unset or holds what bash
   * has to spell out, undefined before the first command.
   */
  exported(sessionId: SessionId, name: string): string | undefined {
    const text = this.#stateOf(sessionId)?.bytes.toString('utf8');
    const line = new RegExp(`^(?:declare -\\w+|export) ${name}="((?:[^"\\\\]|\\\\.)*)"$`, 'ms');
    return text === undefined ? undefined : (line.exec(text)?.[1] ?? '').replaceAll(/\\(.)/gs, '$1');
  }

  /**
   * Names the variables that the session's last command left exported; undefined where they are those that every new shell
   * gets. Those that bash itself changes as it goes do not count.
   */
  environmentOf(sessionId: SessionId, given: Readonly<Record<string, string>>): string | undefined {
    const text = this.#stateOf(sessionId)?.bytes.toString('utf8');
    if (text === undefined) return undefined;
    const names = new Set(
      [...text.matchAll(exportedName)].map(([, name = '']) => name).filter((name) => !ownNames.has(name)),
    );
    const isAsGiven = [...names].every((name) => this.exported(sessionId, name) === given[name]);
    const isWhole = Object.keys(given).every((name) => names.has(name) || ownNames.has(name));
    if (isAsGiven && isWhole) return undefined;
    const lines = text.slice(0, text.lastIndexOf(folderMark)).split('\n');
    return hash('sha256', lines.filter((line) => !ownNames.has(exportedIn(line))).join('\n'));
  }

  #stateOf(sessionId: SessionId): ShellState | undefined {
    const known = this.#states.get(sessionId);
    if (known !== undefined) return known;
    const state = readState(this.fileOf(sessionId));
    if (state !== undefined) this.#states.set(sessionId, state);
    return state;
  }

  /**
   * Makes what a command left the state that the next one takes up, in one step; what is not whole changes nothing.
   * Returns what went wrong, if anything did.
   */
  keep(sessionId: SessionId, bytes: Buffer): string | undefined {
    const folder = recordedIn(bytes);
    // Most commands change nothing, and putting a file in the place of another makes some file systems wait for the disk.
    if (folder === undefined || this.#stateOf(sessionId)?.bytes.equals(bytes) === true) return undefined;
    const file = this.fileOf(sessionId);
    try {
      writeFileSync(`${file}.new`, bytes, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      this.#states.set(sessionId, { bytes, folder });
      return undefined;
    } catch (thrown) {
      // A missing folder means that the task was ended meanwhile.
      return systemErrorCode(thrown) === 'ENOENT' ? undefined : describeError(thrown);
    }
  }

  /** The sessions that have a folder. */
  async sessions(): Promise<readonly SessionId[]> {
    const names = await readdir(this.folder).catch((thrown: unknown) => {
      if (systemErrorCode(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    // Beside them stand the places where shells wait for their commands.
    return names.filter((name) => name.startsWith('ses_')) as SessionId[];
  }

  async remove(sessionId: SessionId): Promise<void> {
    this.#states.delete(sessionId);
    await rm(this.folderOf(sessionId), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Synchronous: the file is small, and footprints cannot wait. */
function readState(file: string): ShellState | undefined {
  try {
    const bytes = readFileSync(file);
    const folder = recordedIn(bytes);
    return folder === undefined ? undefined : { bytes, folder };
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
