/**
 * The beginning and the end of a text, with a mark between them that says how much is missing. The mark comes on top of
 * what may stay; where that would make the text longer, it stays as it is. Pure.
 */
export function shortenText(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = wholeCharacters(text.slice(0, Math.ceil(most * 0.7)), 'end');
  const tail = wholeCharacters(text.slice(text.length - Math.floor(most * 0.3)), 'start');
  const missing = text.length - head.length - tail.length;
  const shortened = `${head}\n[… ${missing.toLocaleString('en')} characters are left out here …]\n${tail}`;
  return shortened.length < text.length ? shortened : text;
}

// A cut in the middle of a surrogate pair leaves half a character.
function wholeCharacters(text: string, side: 'start' | 'end'): string {
  if (side === 'end') return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
