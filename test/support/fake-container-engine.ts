import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

/**
 * A program named docker or podman that is none: it writes down how it was called, keeps a file for each container that
 * "runs", and runs on this machine, in a home folder of its own, what is to be run in one.
 */
export async function openFakeEngine(name: 'docker' | 'podman' = 'docker'): Promise<FakeEngine> {
  const folder = await makeTempFolder();
  const engine = new FakeEngine(folder);
  const at = (file: string): string => join(folder.path, file);
  await Promise.all(['bin', 'running', 'home'].map((sub) => mkdir(at(sub))));
  const script = `#!/bin/bash
cd '${folder.path}'
printf '%q ' "$@" >> ledger; echo >> ledger
env | grep -v '^_=' >> environment
[ ! -e broken ] || { cat broken >&2; exit 1; }
case $1 in
  run)
    for word; do case $word in --name=*) name=\${word#--name=} ;; --workdir=*) place=\${word#--workdir=} ;; esac; done
    [ ! -e "running/$name" ] || { echo "Conflict. The container name is in use" >&2; exit 125; }
    echo "$place" > "running/$name"; echo 0123456789ab ;;
  inspect) [ -e "running/$4" ] && echo true || { echo "No such object: $4" >&2; exit 1; } ;;
  rm)
    while [ -e held ]; do sleep 0.02; done
    rm -f "running/$3"; rm -rf home/.talaria-remote ;;
  exec)
    [ -e "running/$3" ] || { echo "Error response from daemon: No such container: $3" >&2; exit 1; }
    [ ! -e no-bash ] || { echo 'exec: "bash": executable file not found' >&2; exit 127; }
    read -r place < "running/$3"; cd "$place"
    shift 3; exec env -i PATH="$PATH" HOME='${folder.path}/home' "$@" ;;
esac
`;
  await writeFile(at(`bin/${name}`), script);
  await chmod(at(`bin/${name}`), 0o755);
  return engine;
}

export class FakeEngine implements AsyncDisposable {
  readonly home: string;
  /** A PATH on which it comes first. */
  readonly path: string;
  readonly #folder: TempFolder;

  constructor(folder: TempFolder) {
    this.#folder = folder;
    this.home = join(folder.path, 'home');
    this.path = `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}`;
  }

  /** How it was called, in order, a call a line. */
  async calls(): Promise<readonly string[]> {
    return (await this.#read('ledger')).split('\n').filter((line) => line !== '');
  }

  /** All that it ever saw in its environment. */
  async environment(): Promise<string> {
    return await this.#read('environment');
  }

  /** A container that someone else has started. */
  async addContainer(name: string): Promise<void> {
    await writeFile(join(this.#folder.path, 'running', name), `${this.home}\n`);
  }

  /** From now on every call fails with this. */
  async breakDown(message: string): Promise<void> {
    await writeFile(join(this.#folder.path, 'broken'), message);
  }

  /** From now on no container has a bash. */
  async removeBash(): Promise<void> {
    await writeFile(join(this.#folder.path, 'no-bash'), '');
  }

  /** From now on no container ends until it is let go of. */
  async holdContainers(): Promise<void> {
    await writeFile(join(this.#folder.path, 'held'), '');
  }

  async letGoOfContainers(): Promise<void> {
    await rm(join(this.#folder.path, 'held'));
  }

  async mend(): Promise<void> {
    await rm(join(this.#folder.path, 'broken'));
  }

  /** As if the engine had been started anew. */
  async removeContainers(): Promise<void> {
    await rm(join(this.#folder.path, 'running'), { recursive: true });
    await mkdir(join(this.#folder.path, 'running'));
  }

  async #read(file: string): Promise<string> {
    return await readFile(join(this.#folder.path, file), 'utf8').catch(() => '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}
