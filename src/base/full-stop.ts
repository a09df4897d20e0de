/** A text to which more is added: without the full stop at its end, so that no second sign follows it. Pure. */
export function withoutFullStop(text: string): string {
  // Dots that say that something was left out stay.
  return text.trimEnd().replace(/(?<!\.)\.$/, '');
}
