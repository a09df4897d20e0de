import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { ToolPlace } from '../model/tool.ts';
import { isFolder } from './is-folder.ts';
import { findStateDifference, writeExports } from './shell/state-difference.ts';

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

function valueIn(text: string, name: string): string {
  const line = new RegExp(`^(?:declare -\\w+|export) ${name}="((?:[^"\\\\]|\\\\.)*)"$`, 'ms');
  return (line.exec(text)?.[1] ?? '').replaceAll(/\\(.)/gs, '$1');
}

function exportsIn(text: string): Readonly<Record<string, string>> {
  const names = [...text.matchAll(exportedName)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, valueIn(text, name)]));
}

/** Stands for variables and their values, without those that bash itself changes. */
function digestOf(variables: Readonly<Record<string, string>>): string {
  const counted = Object.entries(variables).filter(([name]) => !ownNames.has(name));
  const lines = counted.map((each) => JSON.stringify(each)).toSorted();
  return hash('sha256', lines.join('\n'));
}

/** What a shell left: all of it as bash reads it, in bytes, since a variable may hold what is no text; and the folder. */
interface ShellState {
  readonly bytes: Buffer;
  readonly folder: string;
}

/**
 * What shells inside the sandbox left. Nobody was asked about those, so that only they read it: as the difference to what was
 * left outside. The folder is that of all shells, until one outside of it ends somewhere.
 */
interface InsideState {
  readonly difference: Buffer;
  readonly folder: string | undefined;
}

/** Where the shells of the sessions stand. Nobody else writes the files, so what was read or written once is known. */
export class TaskState {
  /** Holds one folder for each session. Whoever ends a task tells by that that there may be something to end. */
  readonly folder: string;
  readonly #states = new Map<SessionId, ShellState>();
  readonly #inside = new Map<SessionId, InsideState>();
  /** Digests of what shells were given that had nothing else. */
  readonly #given = new Map<SessionId, string>();
  readonly #fileName: string;

  constructor(folder: string, fileName = 'shell') {
    this.folder = folder;
    this.#fileName = fileName;
  }

  folderOf(sessionId: SessionId): string {
    return join(this.folder, sessionId);
  }

  fileOf(sessionId: SessionId): string {
    return join(this.folderOf(sessionId), this.#fileName);
  }

  /** What only the shells inside the sandbox take up, after the other. */
  insideFileOf(sessionId: SessionId): string {
    return join(this.folderOf(sessionId), `${this.#fileName}-inside`);
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
    return this.#insideOf(sessionId).folder ?? this.#stateOf(sessionId)?.folder ?? workdir;
  }

  /**
   * The value of a variable that the session's last command left exported: empty where it was unset or holds what bash
   * has to spell out, undefined before the first command.
   */
  exported(sessionId: SessionId, name: string): string | undefined {
    const text = this.#stateOf(sessionId)?.bytes.toString('utf8');
    return text === undefined ? undefined : valueIn(text, name);
  }

  /**
   * Names the variables that the session's last command left exported; undefined where they are those that every new shell
   * gets, from this start of the program or from the one that the session's shell was begun by: a gateway and a terminal
   * are started with other ones. Those that bash itself changes as it goes do not count.
   */
  environmentOf(sessionId: SessionId, given: Readonly<Record<string, string>>): string | undefined {
    const text = this.#stateOf(sessionId)?.bytes.toString('utf8');
    if (text === undefined) return undefined;
    const left = digestOf(exportsIn(text));
    if (left === digestOf(given) || left === this.#givenDigest(sessionId)) return undefined;
    const lines = text.slice(0, text.lastIndexOf(folderMark)).split('\n');
    return hash('sha256', lines.filter((line) => !ownNames.has(exportedIn(line))).join('\n'));
  }

  /** What the session's last command left, as bash reads it. */
  bytesOf(sessionId: SessionId): Buffer | undefined {
    return this.#stateOf(sessionId)?.bytes;
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
   * Returns what went wrong, if anything did. `given` is what every new shell gets.
   */
  keep(sessionId: SessionId, bytes: Buffer, given?: Readonly<Record<string, string>>): string | undefined {
    const folder = recordedIn(bytes);
    if (folder === undefined) return undefined;
    const inside = this.#insideOf(sessionId);
    if (inside.folder !== undefined) this.#writeInside(sessionId, { ...inside, folder: undefined });
    // Most commands change nothing, and putting a file in the place of another makes some file systems wait for the disk.
    if (this.#stateOf(sessionId)?.bytes.equals(bytes) === true) return undefined;
    const lost = replaceFile(this.fileOf(sessionId), bytes, () => this.#states.set(sessionId, { bytes, folder }));
    return lost ?? (given && this.#keepGiven(sessionId, given));
  }

  /** Notes what the shell was given, where that is all that it has: another start of the program may give something else. */
  #keepGiven(sessionId: SessionId, given: Readonly<Record<string, string>>): string | undefined {
    const text = this.#stateOf(sessionId)?.bytes.toString('utf8') ?? '';
    const digest = digestOf(given);
    if (digestOf(exportsIn(text)) !== digest || this.#givenDigest(sessionId) === digest) return undefined;
    return replaceFile(this.#givenFileOf(sessionId), Buffer.from(digest), () => this.#given.set(sessionId, digest));
  }

  #givenDigest(sessionId: SessionId): string {
    const known = this.#given.get(sessionId) ?? readIfThere(this.#givenFileOf(sessionId))?.toString('utf8') ?? '';
    this.#given.set(sessionId, known);
    return known;
  }

  #givenFileOf(sessionId: SessionId): string {
    return join(this.folderOf(sessionId), `${this.#fileName}-given`);
  }

  /** The same for what a command inside the sandbox left. `given` is what every new shell gets. */
  keepInside(sessionId: SessionId, bytes: Buffer, given: Readonly<Record<string, string>>): string | undefined {
    const folder = recordedIn(bytes);
    if (folder === undefined) return undefined;
    const outside = this.#stateOf(sessionId)?.bytes;
    const { text } = findStateDifference(outside ? variablesIn(outside) : writeExports(given), variablesIn(bytes));
    // Before the mark there is always a whole line.
    const difference = Buffer.from(text === '' ? '\n' : text, 'latin1');
    const isSame = this.#insideOf(sessionId).difference.equals(difference);
    if (isSame && this.recordedFolder({ sessionId, workdir: '' }) === folder) return undefined;
    return this.#writeInside(sessionId, { difference, folder });
  }

  /** The variables that were set inside the sandbox, and so are not set outside of it. */
  setInside(sessionId: SessionId): readonly string[] {
    const difference = this.#insideOf(sessionId).difference.toString('latin1');
    return findStateDifference('', difference).names.filter((name) => !ownNames.has(name));
  }

  #writeInside(sessionId: SessionId, state: InsideState): string | undefined {
    const bytes = Buffer.concat([state.difference, Buffer.from(`${folderMark}\n${state.folder ?? ''}\n`)]);
    return replaceFile(this.insideFileOf(sessionId), bytes, () => this.#inside.set(sessionId, state));
  }

  #insideOf(sessionId: SessionId): InsideState {
    const known = this.#inside.get(sessionId) ?? readInside(this.insideFileOf(sessionId));
    this.#inside.set(sessionId, known);
    return known;
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
    this.#inside.delete(sessionId);
    this.#given.delete(sessionId);
    const folder = this.folderOf(sessionId);
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await remove().catch(async (thrown: unknown) => {
      if (!['EACCES', 'EPERM'].includes(systemErrorCode(thrown) ?? '')) throw thrown;
      // A command inside the sandbox may have closed folders of its own, such as caches of modules.
      await openFolders(folder);
      await remove();
    });
  }
}

/** Makes every folder below this one removable. Links are not followed. */
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}

/** Synchronous: the file is small, and footprints cannot wait. */
function readState(file: string): ShellState | undefined {
  const bytes = readIfThere(file);
  const folder = bytes && recordedIn(bytes);
  return bytes === undefined || folder === undefined ? undefined : { bytes, folder };
}

function readInside(file: string): InsideState {
  const bytes = readIfThere(file) ?? Buffer.alloc(0);
  return { difference: Buffer.from(variablesIn(bytes), 'latin1'), folder: recordedIn(bytes) };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Puts a file in the place of another in one step, and then notes it; returns what went wrong. */
function replaceFile(file: string, bytes: Buffer, note: () => void): string | undefined {
  try {
    writeFileSync(`${file}.new`, bytes, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    note();
    return undefined;
  } catch (thrown) {
    // A missing folder means that the task was ended meanwhile.
    return systemErrorCode(thrown) === 'ENOENT' ? undefined : describeError(thrown);
  }
}

/** What stands before the folder, byte for byte. */
function variablesIn(state: Buffer): string {
  const mark = state.lastIndexOf(`\n${folderMark}\n`);
  return state.toString('latin1', 0, mark === -1 ? 0 : mark + 1);
}

/** The folder written at the end of a state; undefined where the end is missing. */
function recordedIn(state: Buffer): string | undefined {
  const mark = state.lastIndexOf(`\n${folderMark}\n`);
  const folder = state.toString('utf8', mark + folderMark.length + 2);
  return mark !== -1 && folder.startsWith('/') && folder.endsWith('\n') ? folder.slice(0, -1) : undefined;
}
