import type { Interface } from 'node:readline';

/** What the line editor of Node knows of itself and does not tell in its types. */
interface Innards {
  /** The row of the cursor, counted from that of the prompt, when the line was drawn last. */
  prevRows?: number;
  /** False while characters are dealt with that more will follow, since they came in one piece. */
  readonly isCompletionEnabled?: boolean;
}

/**
 * Tells the line editor which row its cursor is in. Characters that come in one piece (a paste, fast typing) it prints without
 * looking where they wrap, and would then draw the line anew from the wrong row, below a ghost of the old one.
 */
export function noteCursorRow(lines: Interface): void {
  const innards = lines as Innards;
  const { rows, cols } = lines.getCursorPos();
  const known = innards.prevRows ?? 0;
  if (known === rows) return;
  // A row that is full to its last column has not wrapped yet: the terminal waits for one more character.
  innards.prevRows = cols === 0 && rows > known ? rows - 1 : rows;
}

/** Whether more of the same piece follows, so that nobody has to know yet where the cursor is. Looking costs as much as the line is long. */
export function isInPaste(lines: Interface, text: string | undefined): boolean {
  const isPlain = text !== undefined && text >= ' ' && text !== '\u007f';
  return isPlain && (lines as Innards).isCompletionEnabled === false;
}
