/** The commands that are for the terminal alone; all others are the gateway's. Pure. */
export function isLeaving(text: string): boolean {
  return /^\s*\/(exit|quit)(?:[^\S\n][^\n]*)?\s*$/i.test(text);
}

/** At a keyboard the bare word, alone, is meant for the program too; out of a pipe it may be anything. Pure. */
export function isPersonLeaving(text: string): boolean {
  return isLeaving(text) || /^\s*(exit|quit)\s*$/i.test(text);
}
