import type { RichTextBuilder, Style } from './rich-text.ts';

/** Writes a paragraph: emphasis, code, links. What does not close stays as it was written. */
export function writeInline(source: string, builder: RichTextBuilder): void {
  const text: InlineText = { source, masked: mask(source) };
  writeRange(text, { from: 0, to: source.length, open: new Set(), unclosed: new Set() }, builder);
}

interface InlineText {
  readonly source: string;
  /** The same, with code, escapes and addresses blotted out, so that nothing in them opens or closes anything. */
  readonly masked: string;
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** The styles that are already open. None is opened twice, so nesting has an end. */
  readonly open: ReadonlySet<string>;
  /** Marks that were looked for and do not close anywhere in it, so that they are looked for once. */
  readonly unclosed: Set<string>;
}

interface Span {
  readonly end: number;
  readonly write: () => void;
}

const blot = '\uE000';
const opaque = /\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\bhttps?:\/\/[^\s<>()[\]`]+/g;
const special = /[\\`*_~[!<&]/g;
const trailingMarks = /(?<![*_~.,;:!?'"])[*_~.,;:!?'"]+$/;

function mask(source: string): string {
  return source.replaceAll(opaque, (match) => {
    const kept = match.startsWith('http') ? (trailingMarks.exec(match)?.[0] ?? '') : '';
    return blot.repeat(match.length - kept.length) + kept;
  });
}

function writeRange(text: InlineText, range: Range, builder: RichTextBuilder): void {
  const { to } = range;
  let at = range.from;
  while (at < to) {
    const next = indexOfSpecial(text.source, at, to);
    builder.write(text.source.slice(at, next));
    if (next === to) return;
    const span = readSpan(text, { ...range, from: next }, builder);
    if (span) span.write();
    else builder.write(text.source.charAt(next));
    at = span?.end ?? next + 1;
  }
}

function indexOfSpecial(source: string, at: number, to: number): number {
  const pattern = new RegExp(special);
  pattern.lastIndex = at;
  return Math.min(pattern.exec(source)?.index ?? to, to);
}

function readSpan(text: InlineText, range: Range, builder: RichTextBuilder): Span | undefined {
  const isBlotted = text.masked.charAt(range.from) === blot;
  switch (text.source.charAt(range.from)) {
    case '\\':
      return isBlotted ? readEscape(text, range, builder) : undefined;
    case '`':
      return isBlotted ? readCode(text, range, builder) : undefined;
    case '[':
    case '!':
      return isBlotted ? undefined : readLink(text, range, builder);
    case '<':
    case '&':
      return isBlotted ? undefined : readMarkup(text, range, builder);
    default:
      return isBlotted ? undefined : readEmphasis(text, range, builder);
  }
}

function readEscape({ source }: InlineText, { from }: Range, builder: RichTextBuilder): Span {
  return { end: from + 2, write: () => builder.write(source.charAt(from + 1)) };
}

function readCode({ source }: InlineText, { from, to, open }: Range, builder: RichTextBuilder): Span | undefined {
  const [match, , code] = matchAt(/(`+)([\s\S]*?[^`])\1(?!`)/y, source, from) ?? [];
  if (match === undefined || code === undefined || from + match.length > to) return undefined;
  const content = code.trim() === '' ? code : code.replace(/^ (.*) $/s, '$1');
  const write = (): void => builder.write(content);
  // Telegram has no code in links, and the link is worth more.
  return { end: from + match.length, write: open.has('link') ? write : () => builder.styled({ type: 'code' }, write) };
}

const linkPattern =
  /(!?)\[((?:[^[\]\\]|\\.){0,500})\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]{0,500}\)){1,2000})>?(?:\s+"[^"\n]{0,500}")?\s*\)/y;

function readLink(text: InlineText, { from, to, open }: Range, builder: RichTextBuilder): Span | undefined {
  const [match, image = '', label = '', url = ''] = matchAt(linkPattern, text.source, from) ?? [];
  if (match === undefined || from + match.length > to || open.has('link')) return undefined;
  const start = from + image.length + 1;
  const inner: Range = { from: start, to: start + label.length, open: new Set([...open, 'link']), unclosed: new Set() };
  const writeLabel = (): void =>
    label.trim() === '' ? builder.write(image === '' ? url : 'image') : writeRange(text, inner, builder);
  return {
    end: from + match.length,
    write() {
      if (/^(https?|tg):\/\//i.test(url)) return builder.styled({ type: 'text_link', url }, writeLabel);
      // Telegram makes no link of a path or a mail address; it is shown, so that nothing is lost.
      writeLabel();
      builder.write(` (${url})`);
    },
  };
}

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00A0',
};

function readMarkup({ source }: InlineText, { from, to }: Range, builder: RichTextBuilder): Span | undefined {
  const [match, address] =
    matchAt(/<((?:https?:\/\/|mailto:)[^\s<>]+)>|<br\s*\/?>|&[a-z#0-9]{2,5};/iy, source, from) ?? [];
  if (match === undefined || from + match.length > to) return undefined;
  const written = address ?? (match.startsWith('<') ? '\n' : (characters[match] ?? match));
  return { end: from + match.length, write: () => builder.write(written) };
}

const emphases: readonly (readonly [mark: string, styles: readonly Style['type'][]])[] = [
  ['***', ['bold', 'italic']],
  ['**', ['bold']],
  ['__', ['bold']],
  ['~~', ['strikethrough']],
  ['*', ['italic']],
  ['_', ['italic']],
];

function readEmphasis(text: InlineText, range: Range, builder: RichTextBuilder): Span | undefined {
  const { from, open } = range;
  for (const [mark, styles] of emphases) {
    if (!text.masked.startsWith(mark, from) || styles.some((style) => open.has(style))) continue;
    const close = canOpen(text.masked, from, mark) ? findClose(text.masked, range, mark) : undefined;
    if (close === undefined) continue;
    const inner: Range = {
      from: from + mark.length,
      to: close,
      open: new Set([...open, ...styles]),
      unclosed: new Set(),
    };
    const write = styles.reduce<() => void>(
      (inside, type) => () => builder.styled({ type } as Style, inside),
      () => writeRange(text, inner, builder),
    );
    return { end: close + mark.length, write };
  }
  return undefined;
}

/** A mark opens before something; an underscore in the middle of a word is part of the word. */
function canOpen(masked: string, at: number, mark: string): boolean {
  if (/^(\s|$)/.test(masked.charAt(at + mark.length))) return false;
  return !mark.startsWith('_') || !/[\p{L}\p{N}_]/u.test(masked.charAt(at - 1));
}

function findClose(masked: string, { from, to, unclosed }: Range, mark: string): number | undefined {
  if (unclosed.has(mark)) return undefined;
  const inside = masked.slice(0, to);
  const first = from + mark.length + 1;
  for (let at = inside.indexOf(mark, first); at !== -1; at = inside.indexOf(mark, at + 1)) {
    if (canClose(inside, at, mark)) return at;
  }
  unclosed.add(mark);
  return undefined;
}

function canClose(masked: string, at: number, mark: string): boolean {
  const before = masked.charAt(at - 1);
  const behind = masked.slice(at + mark.length, at + mark.length + 2);
  if (/\s/.test(before)) return false;
  // Names go on behind a dot: __init__.py.
  if (mark.startsWith('_')) return !/^\.?[\p{L}\p{N}_]/u.test(behind);
  // A lone star is none of a pair.
  return !behind.startsWith(mark.charAt(0)) && (mark.length > 1 || before !== mark);
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  const copy = new RegExp(pattern);
  copy.lastIndex = at;
  return copy.exec(source) ?? undefined;
}
