import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';

const mostTasks = 2048;
const tickMs = 20;
const mostTicks = 10;
// The first is that of the older kind of control groups, where each thing that is bounded has its own tree.
const trees: readonly string[] = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];

/**
 * A control group that bounds how many tasks the commands of a home have in its sandboxes, for the super-user, whom the usual
 * limit does not bind.
 */
export class TaskGroup {
  readonly #name: string;

  /** One for each folder of tasks. */
  constructor(tasks: string) {
    this.#name = `talaria-${hash('sha256', tasks).slice(0, 12)}`;
  }

  /** The file that takes a process in; undefined where there is no need or no way. */
  open(): string | undefined {
    const folder = this.#find();
    if (folder === undefined) return undefined;
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'pids.max'), String(mostTasks));
      return join(folder, 'cgroup.procs');
    } catch (thrown) {
      // In a container the tree can often only be read.
      if (systemErrorCode(thrown) === undefined) throw thrown;
      return undefined;
    }
  }

  #find(): string | undefined {
    const tree = process.getuid?.() === 0 ? trees.find(boundsTasks) : undefined;
    return tree === undefined ? undefined : join(tree, this.#name);
  }

  /** A group with running commands in it stays for the next start; an empty one is in nobody's way if it cannot be removed. */
  async close(): Promise<void> {
    const folder = this.#find();
    if (folder === undefined) return;
    for (let tick = 0; tick < mostTicks; tick += 1) {
      if (this.#remove(folder) === 'over') return;
      // The dead hold it until they are collected, which is a matter of moments.
      await systemClock.sleep(tickMs);
    }
  }

  #remove(folder: string): 'over' | 'held-by-the-dead' {
    try {
      rmdirSync(folder);
      return 'over';
    } catch (thrown) {
      if (systemErrorCode(thrown) !== 'EBUSY') return 'over';
      return readFileSync(join(folder, 'cgroup.procs'), 'utf8') === '' ? 'held-by-the-dead' : 'over';
    }
  }
}

function boundsTasks(tree: string): boolean {
  if (tree.endsWith('/pids')) return existsSync(join(tree, 'cgroup.procs'));
  const handedOn = join(tree, 'cgroup.subtree_control');
  return existsSync(handedOn) && readFileSync(handedOn, 'utf8').split(/\s/).includes('pids');
}
