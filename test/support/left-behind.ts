import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const settleMs = 30_000;
const lookMs = 50;

export interface SeenProcess {
  readonly pid: number;
  readonly args: string;
  readonly environment: readonly string[];
}

/**
 * The processes that a program and its children have started: they carry this entry in their environment, name this
 * folder in their arguments, or descend from one that does. The dead whom nobody has collected yet do not count.
 */
export async function processesOf(entry: string, folder: string): Promise<readonly SeenProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map(lookAt))).flat();
  const ours = new Set(all.filter(({ environment, args }) => environment.includes(entry) || args.includes(folder)));
  for (let size = 0; size !== ours.size;) {
    size = ours.size;
    const parents = new Set([...ours].map(({ pid }) => pid));
    for (const each of all) if (parents.has(each.parent)) ours.add(each);
  }
  return [...ours].filter(({ pid }) => pid !== process.pid);
}

interface LookedAt extends SeenProcess {
  readonly parent: number;
}

async function lookAt(pid: number): Promise<readonly LookedAt[]> {
  const [stat, args, environment] = await Promise.all(
    ['stat', 'cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  );
  const [state, parent] = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === '' || state === 'Z') return [];
  const words = (args ?? '').replaceAll('\0', ' ');
  return [{ pid, parent: Number(parent), args: words, environment: (environment ?? '').split('\0') }];
}

/** What the open file handles of a process lead to, without the numbers by which the system tells them apart. */
export async function openHandles(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => 'gone')),
  );
  return links.filter((link) => link !== 'gone').map((link) => link.replace(/\[\d+\]$/, ''));
}

/** Every file and folder below a folder, by its name from there; nothing where there is none. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.map((each) => relative(folder, join(each.parentPath, each.name))).toSorted();
}

/** Looks until what is seen fits, for as long as a slow machine may need; gives what was seen last. */
export async function lookUntil<Seen>(look: () => Promise<Seen>, fits: (seen: Seen) => boolean): Promise<Seen> {
  for (const begun = performance.now(); ;) {
    const seen = await look();
    if (fits(seen) || performance.now() - begun > settleMs) return seen;
    await pause(lookMs);
  }
}
