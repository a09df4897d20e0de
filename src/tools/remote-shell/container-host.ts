import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { isInside } from '../../base/is-inside.ts';
import type { DockerSettings } from '../../model/terminal-settings.ts';
import type { ToolPlace } from '../../model/tool.ts';
import { mayHoldLogin } from '../login-files.ts';
import { realPath } from '../real-path.ts';
import type { Breakage, Elsewhere, Reached } from './elsewhere.ts';

export interface ContainerHostOptions {
  readonly settings: DockerSettings;
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of which nothing may be seen in a container: what holds one of them is not mounted. */
  readonly hidden: readonly string[];
}

export const sessionLabel = 'talaria.session';

// An image may have to be fetched first.
const startMs = 300_000;
const askMs = 20_000;

// What runs or instructs something outside of the container later on.
const readOnlyNames: readonly string[] = [
  '.cursor',
  '.envrc',
  '.husky',
  '.mcp.json',
  '.talaria',
  'AGENTS.md',
  'CLAUDE.md',
  '.cursorrules',
  '.hermes.md',
  'HERMES.md',
];

// Who may write to any of it leads git to hooks elsewhere (`commondir`), or puts another folder in its place.
const gitUnasked: readonly string[] = ['.git'];
// Commits can be made, and each command is asked about.
const gitAsked: readonly string[] = ['.git/config', '.git/hooks'];

/**
 * A container that is there already, or one for each session, of an image, which lives until the session ends. One of ours
 * can do little: no capabilities, bounded memory and processes, no network unless one is set, and of this machine it
 * sees the folder of the session alone.
 */
export class ContainerHost implements Elsewhere {
  readonly name: string;
  readonly note: string;
  readonly isSandbox: boolean;
  readonly startsIn = 'here';
  readonly #options: ContainerHostOptions;
  readonly #starting = new Map<SessionId, Promise<string | undefined>>();

  constructor(options: ContainerHostOptions) {
    const { image, container, network } = options.settings;
    this.#options = options;
    this.name = container === undefined ? `a container of ${image ?? ''}` : `the container ${container}`;
    this.note = 'the file tools see this machine, of which the container has at most the working directory';
    this.isSandbox = container === undefined && network === 'none';
  }

  async reach(place: ToolPlace, signal: AbortSignal): Promise<Reached> {
    const { settings, environment } = this.#options;
    const problem = settings.container === undefined ? await this.#start(place, signal) : undefined;
    if (problem !== undefined) return { type: 'closed', reason: problem };
    const args = ['exec', '-i', this.#containerOf(place.sessionId), 'bash', '--noprofile', '--norc', '-s'];
    return { type: 'open', way: { program: settings.command, args, environment } };
  }

  #containerOf(sessionId: SessionId): string {
    return this.#options.settings.container ?? `talaria-${sessionId}`;
  }

  /** Has the container of the session run; several calls at once start one. Says what went wrong, if anything did. */
  async #start(place: ToolPlace, signal: AbortSignal): Promise<string | undefined> {
    const begun = this.#starting.get(place.sessionId);
    if (begun !== undefined) return await begun;
    const starting = this.#startOne(place, signal);
    this.#starting.set(place.sessionId, starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(place.sessionId);
    }
  }

  async #startOne(place: ToolPlace, signal: AbortSignal): Promise<string | undefined> {
    const container = this.#containerOf(place.sessionId);
    try {
      const state = await this.#run(['inspect', '--format', '{{.State.Running}}', container], askMs).catch(absent);
      if (state.trim() === 'true') return undefined;
      if (state !== '') await this.#run(['rm', '--force', container], askMs);
      await this.#run(this.#runArguments(place), startMs, signal);
      return undefined;
    } catch (thrown) {
      return signal.aborted ? 'it was stopped' : this.#explainError(thrown);
    }
  }

  #runArguments({ sessionId, workdir }: ToolPlace): readonly string[] {
    const { image = '', command, network, memoryMb, pidsLimit } = this.#options.settings;
    const user = `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`;
    return [
      'run',
      '--detach',
      '--rm',
      '--init',
      `--name=${this.#containerOf(sessionId)}`,
      `--label=${sessionLabel}=${sessionId}`,
      `--user=${user}`,
      ...(command === 'podman' && process.getuid?.() !== 0 ? ['--userns=keep-id'] : []),
      '--cap-drop=ALL',
      '--security-opt=no-new-privileges',
      `--network=${network}`,
      `--memory=${memoryMb}m`,
      `--pids-limit=${pidsLimit}`,
      '--env=HOME=/tmp',
      ...this.#mounts(realPath(workdir)),
      '--entrypoint=sleep',
      image,
      'infinity',
    ];
  }

  /** The folder of the session under its own name, so that paths mean the same to the file tools. */
  #mounts(workdir: string): readonly string[] {
    if (workdir.includes(',') || this.#options.hidden.some((folder) => isInside(realPath(folder), workdir))) {
      return ['--workdir=/tmp'];
    }
    const names = [...(this.isSandbox ? gitUnasked : gitAsked), ...readOnlyNames];
    const guarded = names.map((name) => join(workdir, name)).filter((path) => existsSync(path));
    return [
      mount(workdir, workdir),
      ...guarded.map((path) => `${mount(path, path)},readonly`),
      ...coverLogins(workdir),
      `--workdir=${workdir}`,
    ];
  }

  async #run(args: readonly string[], timeout: number, signal?: AbortSignal): Promise<string> {
    const { settings, environment } = this.#options;
    const options = { env: environment, timeout, ...(signal && { signal }) };
    const { execFile } = await import('node:child_process');
    const { stdout } = await promisify(execFile)(settings.command, [...args], options);
    return stdout;
  }

  #explainError(thrown: unknown): string {
    const stderr = (thrown as { readonly stderr?: string }).stderr ?? '';
    const error = thrown instanceof Error ? thrown : new Error(describeError(thrown));
    return this.explain({ error: stderr === '' ? error : undefined, code: undefined, stderr });
  }

  explain({ error, code, stderr }: Breakage): string {
    const { command } = this.#options.settings;
    if (systemErrorCode(error) === 'ENOENT') return `there is no program ${command} on this machine`;
    const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
    const reason = error?.message ?? lines.at(-1) ?? `${command} ended with code ${code ?? 'none'}`;
    if (code === 126 || code === 127) return `there is no bash in ${this.name} (${reason})`;
    return `${this.name} cannot be used (${reason}). Try again later, or tell the user`;
  }

  async release(sessionId: SessionId): Promise<'gone' | 'stays'> {
    if (this.#options.settings.container !== undefined) return 'stays';
    // One that is gone already is what is wanted.
    await this.#run(['rm', '--force', this.#containerOf(sessionId)], askMs).catch(absent);
    return 'gone';
  }

  /** The containers stay, as everything does that a session has, for the next start of the program. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

function mount(source: string, target: string): string {
  return `--mount=type=bind,source=${source},target=${target}`;
}

/** What a model reads leaves the machine: what logs the user in somewhere is covered, as far as it lies on top. */
function coverLogins(workdir: string): readonly string[] {
  return readdirSync(workdir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(workdir, entry.name);
    if (path.includes(',')) return [];
    if (entry.isDirectory()) return mayHoldLogin(join(path, 'any')) ? [`--mount=type=tmpfs,target=${path}`] : [];
    return mayHoldLogin(path) ? [`${mount('/dev/null', path)},readonly`] : [];
  });
}

/** Nothing of that name, as far as can be told: what is wrong with the engine shows when a container is started. */
function absent(): string {
  return '';
}
