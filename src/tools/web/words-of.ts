/**
 * The words of a page, without its scripts and styles. It looks at every character once, however the page is built: for
 * pages that are too large to be laid out, or in which nothing looks like the main thing. Pure.
 */
export function wordsOf(html: string): string {
  const pieces: string[] = [];
  let place = 0;
  while (place < html.length) {
    const open = html.indexOf('<', place);
    pieces.push(html.slice(place, open === -1 ? undefined : open));
    if (open === -1) break;
    const mark = readMark(html, open);
    pieces.push(mark.instead);
    place = mark.end;
  }
  return decodeEntities(pieces.join(''))
    .split('\n')
    .map((line) => line.replaceAll(/[ \t\f\r\u00a0]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const inWords =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|em|font|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/;
const withoutWords: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);

/** Where a mark ends, with all that belongs to it, and what stands in its place. */
function readMark(html: string, open: number): { readonly end: number; readonly instead: string } {
  if (html.startsWith('<!--', open)) return { end: endOf(html, '-->', open), instead: '' };
  const name = /^<\/?([a-z][a-z0-9-]{0,30})/i.exec(html.slice(open, open + 40))?.[1]?.toLowerCase();
  // A sign like any other.
  if (name === undefined)
    return /^<[!?]/.test(html.slice(open, open + 2)) ? skipTag(html, open) : { end: open + 1, instead: '<' };
  const end = endOf(html, '>', open);
  if (html[open + 1] === '/' || !withoutWords.has(name)) return { end, instead: inWords.test(name) ? '' : '\n' };
  return { end: endOf(html, '>', closingTag(html, name, end)), instead: '\n' };
}

function skipTag(html: string, open: number): { readonly end: number; readonly instead: string } {
  return { end: endOf(html, '>', open), instead: '' };
}

/** Where the closing tag begins; without one, the end of the page. */
function closingTag(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?![a-z0-9-])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

function endOf(html: string, sign: string, from: number): number {
  const found = html.indexOf(sign, from);
  return found === -1 ? html.length : found + sign.length;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The few entities that nearly all pages make do with, and numbers. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (entity, hex, decimal, name) => {
      if (typeof name === 'string') return named[name.toLowerCase()] ?? entity;
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : entity;
    },
  );
}
