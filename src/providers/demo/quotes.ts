/** A sentence whose quoted parts are set aside, so that rules about words do not look into them. */
export interface QuotedText {
  /** The text with a mark in place of each quoted part. */
  readonly plain: string;
  /** Puts the quoted parts back into a piece of `plain`, without their quotation marks. */
  readonly restore: (piece: string) => string;
}

// A mark is one letter of Unicode's private area: no keyboard has it, and rules may treat it as a word.
const firstMark = 0xe000;
export const anyMark = '[\\uE000-\\uE0FF]';
const mostQuotes = 256;

const quoted = /`([^`]+)`|"([^"]+)"|“([^”]+)”|(?<![\w])'([^']+)'(?!\w)/g;

export function setQuotesAside(text: string): QuotedText {
  const parts: string[] = [];
  const plain = text.replaceAll(/[\uE000-\uE0FF]/g, ' ').replaceAll(quoted, (whole, ...groups: unknown[]) => {
    const inner = groups.slice(0, 4).find((group) => typeof group === 'string');
    if (typeof inner !== 'string' || parts.length >= mostQuotes) return whole;
    parts.push(inner);
    return String.fromCharCode(firstMark + parts.length - 1);
  });
  const restore = (piece: string): string =>
    piece.replaceAll(/[\uE000-\uE0FF]/g, (mark) => parts[mark.charCodeAt(0) - firstMark] ?? '');
  return { plain, restore };
}
