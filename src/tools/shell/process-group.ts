import { readdirSync, readFileSync } from 'node:fs';

/** Signals every process of a group; nobody being left is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  trySignal(-group, signal);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  trySignal(pid, signal);
}

function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

/** Whether anyone in the group still runs. The dead whom nobody has collected yet do not count. */
export function isGroupAlive(group: number): boolean {
  if (!trySignal(-group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return processIds().some((pid) => {
    const stat = readProcessFile(pid, 'stat');
    // The name in parentheses may hold anything; after it come the state, the parent and the group.
    const [state, , owner] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && Number(owner) === group;
  });
}

/** The processes that carry this entry in the environment they were started with. Only Linux shows it. */
export function processesWith(entry: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return processIds().filter((pid) => {
    return pid !== process.pid && readProcessFile(pid, 'environ').split('\0').includes(entry);
  });
}

function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readProcessFile(pid: number, name: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
