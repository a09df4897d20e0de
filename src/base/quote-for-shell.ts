/** A word as a shell reads it back: one that needs quotes gets them. Pure. */
export function quoteForShell(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
