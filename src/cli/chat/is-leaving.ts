/** The commands that are for the terminal alone; all others are the gateway's. Pure. */
export function isLeaving(text: string): boolean {
  return /^\s*\/(exit|quit)\s*$/i.test(text);
}
