/** The index of pieces knows every run of three characters; shorter ones are not in it. */
export const shortestPiece = 3;

const charactersAround = 30;

/** Every word of what a person typed, quoted: none of it can act as an operator or be an error. Pure. */
export function quoteWords(text: string): string {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.map(quoteAsPhrase).join(' ');
}

export function quoteAsPhrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

export function toLikePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** The text around the first place where the piece stands, with the piece marked. Pure. */
export function cutSnippet(text: string, piece: string): string {
  const found = new RegExp(RegExp.escape(piece), 'iu').exec(text);
  if (found === null)
    return Array.from(text)
      .slice(0, 2 * charactersAround)
      .join('');
  const [match] = found;
  const before = Array.from(text.slice(0, found.index));
  const after = Array.from(text.slice(found.index + match.length));
  const lead = before.length > charactersAround ? '…' : '';
  const tail = after.length > charactersAround ? '…' : '';
  return [
    lead + before.slice(-charactersAround).join(''),
    `«${match}»`,
    after.slice(0, charactersAround).join('') + tail,
  ].join('');
}
