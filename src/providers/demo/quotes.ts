/** A sentence whose quoted parts are set aside, so that rules about words do not look into them. */
export interface QuotedText {
  /** The text with a mark in place of each quoted part. */
  readonly plain: string;
  /** Puts the quoted parts back into a piece of `plain`, without their quotation marks. */
  readonly restore: (piece: string) => string;
  /** Puts them back as they were written, quotation marks and all. */
  readonly verbatim: (piece: string) => string;
}

// A mark is one letter of Unicode's private area: no keyboard has it, and rules may treat it as a word.
const firstMark = 0xe000;
export const anyMark = '[\\uE000-\\uE0FF]';
const mostQuotes = 256;

const quoted = /`([^`]+)`|"([^"]+)"|“([^”]+)”|(?<![\w])'([^']+)'(?!\w)/g;

export function setQuotesAside(text: string): QuotedText {
  const parts: { readonly inner: string; readonly whole: string }[] = [];
  const plain = text.replaceAll(/[\uE000-\uE0FF]/g, ' ').replaceAll(quoted, (whole: string, ...groups: unknown[]) => {
    const inner = groups.slice(0, 4).find((group) => typeof group === 'string');
    if (typeof inner !== 'string' || parts.length >= mostQuotes) return whole;
    parts.push({ inner, whole });
    return String.fromCharCode(firstMark + parts.length - 1);
  });
  const putBack = (piece: string, form: 'inner' | 'whole'): string =>
    piece.replaceAll(/[\uE000-\uE0FF]/g, (mark) => parts[mark.charCodeAt(0) - firstMark]?.[form] ?? '');
  return { plain, restore: (piece) => putBack(piece, 'inner'), verbatim: (piece) => putBack(piece, 'whole') };
}
