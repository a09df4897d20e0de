import type { ProcessPort } from './app-port.ts';
import { readVerdict } from './read-verdict.ts';

/** Asks whoever sits at the terminal. Only a plain yes is a yes, and the end of the input is a no. */
export async function askYesNo(question: string, { stdin, stderr }: ProcessPort): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  using lines = createInterface({ input: stdin, output: stderr, terminal: false });
  const ended = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
  });
  const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
  return readVerdict(answer) === 'approved';
}
