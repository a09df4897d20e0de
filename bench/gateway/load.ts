import { join } from 'node:path';
import { runToEnd } from '../measure.ts';

/** Who says how much, and where. */
export interface Load {
  readonly origin: string;
  readonly token: string;
  readonly chats: readonly string[];
  /** How many of the chats are served side by side. */
  readonly atOnce: number;
  /** Messages in each chat before the clock runs. */
  readonly warmUp: number;
  /** Messages in each chat while it does. */
  readonly rounds: number;
}

export interface LoadReport {
  readonly seconds: number;
  /** From the message to its answer, each in milliseconds. */
  readonly times: readonly number[];
}

/** Puts a load on a server, from a process of its own. Fails where an answer is missing, wrong or told twice. */
export async function putLoad(load: Load): Promise<LoadReport> {
  const program = join(import.meta.dirname, 'load-program.ts');
  // Not as an argument, since anyone on the machine can read those, and it holds the token.
  const env = { ...process.env, LOAD: JSON.stringify(load) };
  const { output } = await runToEnd({ file: process.execPath, args: [program], env });
  return JSON.parse(output) as LoadReport;
}

export function nameChats(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
