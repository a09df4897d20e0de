import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';

const mostTasks = 1024;
// The first is that of the older kind of control groups, where each thing that is bounded has its own tree.
const trees: readonly string[] = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];

/**
 * A control group that bounds how many tasks the commands of a session have, for the super-user, whom the usual limit does
 * not bind. Returns the file that takes a process in; undefined where there is no need or no way.
 */
export function openTaskGroup(sessionId: SessionId): string | undefined {
  const group = groupOf(sessionId);
  if (group === undefined) return undefined;
  try {
    mkdirSync(group, { recursive: true });
    writeFileSync(join(group, 'pids.max'), String(mostTasks));
    return join(group, 'cgroup.procs');
  } catch (thrown) {
    // In a container the tree can often only be read.
    if (systemErrorCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** Best effort: a group that still has a process in it stays, and an empty one costs next to nothing. */
export function removeTaskGroup(sessionId: SessionId): void {
  const group = groupOf(sessionId);
  if (group === undefined || !existsSync(group)) return;
  try {
    rmdirSync(group);
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined) throw thrown;
  }
}

function groupOf(sessionId: SessionId): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const tree = trees.find((folder) => boundsTasks(folder));
  return tree === undefined ? undefined : join(tree, `talaria-${sessionId}`);
}

function boundsTasks(tree: string): boolean {
  if (tree.endsWith('/pids')) return existsSync(join(tree, 'cgroup.procs'));
  const handedOn = join(tree, 'cgroup.subtree_control');
  return existsSync(handedOn) && readFileSync(handedOn, 'utf8').split(/\s/).includes('pids');
}
