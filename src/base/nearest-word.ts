/** The known word that was most likely meant, or undefined where none is close. Pure. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  const begun = known.filter((word) => lower.length > 1 && word.startsWith(lower));
  if (begun.length === 1) return begun[0];
  const ranked = known
    .map((word) => ({ word, distance: editDistance(lower, word) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  // A third of the letters may be wrong; with more of them wrong any word would be close to any other.
  return best && best.distance <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column += 1) {
      rows[row]?.push(cheapestEdit(rows, left, right, { row, column }));
    }
  }
  return rows[left.length]?.[right.length] ?? 0;
}

function cheapestEdit(
  rows: readonly (readonly number[])[],
  left: string,
  right: string,
  { row, column }: { readonly row: number; readonly column: number },
): number {
  const at = (above: number, before: number): number => rows[row - above]?.[column - before] ?? Infinity;
  const isSame = left[row - 1] === right[column - 1];
  const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
  return Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1), isSwapped ? at(2, 2) + 1 : Infinity);
}
