/**
 * Swaps what stands at each of these paths for a link and back, as fast as it can, until its input ends. Arguments: pairs of a path
 * and where its link leads. Says `flipping` once every path has been both.
 */
import { renameSync, rmSync, symlinkSync } from 'node:fs';

const words = process.argv.slice(2);
const pairs = words.flatMap((path, index) => (index % 2 === 0 ? [{ path, target: words[index + 1] ?? '' }] : []));
const isOver = { value: false };
process.stdin.on('end', () => (isOver.value = true)).resume();

for (let round = 0; !isOver.value; round += 1) {
  for (const { path, target } of pairs) {
    renameSync(path, `${path}.aside`);
    swap(path, () => symlinkSync(target, path));
    // The link stands as long as the true one does below, more or less: a call meets either.
    for (let spin = 0; spin < (round % 40) * 50; spin += 1);
    remove(path);
    swap(path, () => renameSync(`${path}.aside`, path));
  }
  if (round === 0) process.stdout.write('flipping\n');
  // Now and then it looks whether it is over.
  if (round % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}

/** A call may have made something in the gap that is left for a moment. */
function swap(path: string, put: () => void): void {
  for (;;) {
    try {
      put();
      return;
    } catch {
      remove(path);
    }
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Somebody has just put something into it again: whoever needs it gone asks once more.
    return;
  }
}
