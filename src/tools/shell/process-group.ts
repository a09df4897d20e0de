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

/** A process, told apart from those that had its number before or will have it later, where the system shows as much. */
export function describeProcess(pid: number): string {
  const stat = readProcessFile(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // One that has died and was not collected is not what was described.
  const startedAt = fields[0] === 'Z' ? 'dead' : fields[19];
  return `${pid} ${startedAt ?? ''} ${readBoot()}`;
}

/** Whether the process that was so described still runs. */
export function isProcessAlive(description: string): boolean {
  const pid = Number.parseInt(description, 10);
  return pid > 0 && trySignal(pid, 0) && describeProcess(pid) === description;
}

/** Whether the process that was so described was started since the system was. */
export function isOfThisBoot(description: string): boolean {
  return description.endsWith(` ${readBoot()}`);
}

function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
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
