import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type Work = () => Promise<unknown>;

/**
 * Runs every piece of work in turn, again and again, and gives the median time of each in milliseconds. Taking turns
 * makes what else the machine does fall on all of them alike.
 */
export async function medianTimes<Name extends string>(
  works: Readonly<Record<Name, Work>>,
  rounds: number,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(works) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await works[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now();
      await works[name]();
      times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<Name, number>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export interface Centre {
  readonly median: number;
  /** Half of the values lie within so much of the median. */
  readonly spread: number;
}

export function centreOf(values: readonly number[]): Centre {
  const middle = median(values);
  return { median: middle, spread: median(values.map((value) => Math.abs(value - middle))) };
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface Written {
  readonly output: string;
  readonly complaints: string;
}

/** Runs a program to its end and gives what it wrote; a program that fails makes every figure about it worthless. */
export async function runToEnd({ file, args, env = process.env, cwd }: Command): Promise<Written> {
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  const complaints: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${[...output, ...complaints].join('')}`);
  return { output: output.join(''), complaints: complaints.join('') };
}
