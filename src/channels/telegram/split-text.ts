import { isCode, sliceRichText } from './rich-text.ts';
import type { RichText } from './rich-text.ts';

/** Telegram leaves out the styles of a message beyond this many, without a word. */
const mostEntities = 100;
const symbolsAround = 64;

/**
 * Cuts a text into messages. It cuts where a reader would: between paragraphs, else between lines, sentences or words.
 * Code that is cut is code on both sides. Nothing but white space at a cut is lost.
 */
export function splitRichText(rich: RichText, limit: number): readonly RichText[] {
  const pieces: RichText[] = [];
  let start = 0;
  while (start < rich.text.length) {
    const most = reach(rich, start, limit);
    const end = most >= rich.text.length ? rich.text.length : chooseCut(rich, start, most);
    const piece = sliceRichText(rich, start, end);
    if (piece.text.trim() !== '') pieces.push(piece);
    start = skipWhiteSpace(rich, end);
  }
  return pieces;
}

/** How far a message from `start` may go. */
function reach({ text, entities }: RichText, start: number, limit: number): number {
  const inside = entities.filter(({ offset, length }) => offset + length > start);
  const surplus = inside[mostEntities];
  const most = Math.min(start + limit, text.length);
  return surplus !== undefined && surplus.offset > start ? Math.min(most, surplus.offset) : most;
}

/** The best cut in the second half of the room, or the best one in all of it. */
function chooseCut(rich: RichText, start: number, most: number): number {
  const middle = start + Math.floor((most - start) / 2);
  return bestCut(rich, middle, most) ?? bestCut(rich, start + 1, middle) ?? wholeSymbol(rich.text, start, most);
}

function bestCut(rich: RichText, from: number, most: number): number | undefined {
  const isOutside = outsideCode(rich, from, most);
  return (
    lastCut(rich.text, /\n\s*\n/g, { from, most, fits: isOutside }) ??
    lastCut(rich.text, /\n/g, { from, most, fits: isOutside }) ??
    lastCut(rich.text, /\n/g, { from, most }) ??
    lastCut(rich.text, /(?<=[.!?…。！？])\s/g, { from, most }) ??
    lastCut(rich.text, /\s/g, { from, most })
  );
}

interface CutRange {
  readonly from: number;
  readonly most: number;
  readonly fits?: (at: number) => boolean;
}

function lastCut(text: string, pattern: RegExp, { from, most, fits }: CutRange): number | undefined {
  let found: number | undefined;
  // The character behind the end may be the white space that makes it a good place to cut.
  for (const { index } of text.slice(0, most + 1).matchAll(startingAt(pattern, from))) {
    if (index >= from && index <= most && (fits === undefined || fits(index))) found = index;
  }
  return found;
}

function startingAt(pattern: RegExp, from: number): RegExp {
  const copy = new RegExp(pattern);
  copy.lastIndex = from;
  return copy;
}

function outsideCode({ entities }: RichText, from: number, to: number): (at: number) => boolean {
  const codes = entities.filter(
    (entity) => isCode(entity) && entity.offset <= to && entity.offset + entity.length >= from,
  );
  return (at) => !codes.some(({ offset, length }) => at > offset && at < offset + length);
}

/** A cut that goes through no visible symbol, surrogate pairs and joined emoji included. */
function wholeSymbol(text: string, start: number, most: number): number {
  const from = Math.max(start, most - symbolsAround);
  const symbols = new Intl.Segmenter().segment(text.slice(from, most + symbolsAround));
  const symbol = symbols.containing(most - from);
  const cut = from + (symbol?.index ?? 0);
  if (cut > start) return cut;
  const isInsidePair = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(most));
  return isInsidePair && most - 1 > start ? most - 1 : most;
}

/** Behind a cut in code only the line break goes: what is indented stays so. */
function skipWhiteSpace(rich: RichText, at: number): number {
  const isInCode = !outsideCode(rich, at, at)(at);
  const skipped = isInCode ? /\n?/y : /\s*/y;
  skipped.lastIndex = at;
  return at + (skipped.exec(rich.text)?.[0].length ?? 0);
}
