import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileOf, readJournals } from './journal.ts';
import type { Journal } from './journal.ts';
import { KeptFiles } from './kept-files.ts';

const longestAgeMs = 14 * 24 * 60 * 60 * 1000;
const mostCheckpoints = 50;
const mostBytes = 200_000_000;

/** Forgets the oldest checkpoints of a session: those past their age, past their number, and past what they may take. */
export async function prune(folder: string, now: number): Promise<void> {
  const journals = await readJournals(folder);
  if (journals.length === 0) return;
  const kept = new KeptFiles(join(folder, 'objects'));
  const sizes = new Map<string, number>();
  for (const digest of journals.flatMap(digestsOf)) sizes.set(digest, await kept.bytesOf(digest));
  const stay = chooseStaying(journals, now, sizes);
  if (stay.length < journals.length) {
    for (const { id } of journals.slice(stay.length)) await rm(fileOf(folder, id), { force: true });
  }
  await kept.removeAllBut(new Set(stay.flatMap(digestsOf)));
}

/** The newest, as many as may stay. Newest first in, newest first out. Pure. */
export function chooseStaying(
  journals: readonly Journal[],
  now: number,
  sizes: ReadonlyMap<string, number>,
): readonly Journal[] {
  const counted = new Set<string>();
  let bytes = 0;
  const over = journals.findIndex((journal, index) => {
    for (const digest of digestsOf(journal)) {
      if (!counted.has(digest)) bytes += sizes.get(digest) ?? 0;
      counted.add(digest);
    }
    return index >= mostCheckpoints || bytes > mostBytes || now - journal.at > longestAgeMs;
  });
  return over === -1 ? journals : journals.slice(0, over);
}

function digestsOf({ kind, lines }: Journal): readonly string[] {
  // What a turn wrote is named, so that it can be told from what others write, and is not kept. A rollback needs both.
  return lines.flatMap(({ before, after }) => {
    const states = kind === 'rollback' ? [before, after] : [before];
    return states.flatMap((state) => (state?.type === 'file' ? [state.digest] : []));
  });
}
