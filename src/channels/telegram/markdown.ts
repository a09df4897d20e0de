import { writeInline } from './markdown-inline.ts';
import { readTable } from './markdown-table.ts';
import { RichTextBuilder } from './rich-text.ts';
import type { RichText } from './rich-text.ts';

/**
 * Markdown as models write it, in the few styles that Telegram has. What is not understood stays as it was written;
 * there is no text that cannot be rendered.
 */
export function renderMarkdown(source: string): RichText {
  const builder = new RichTextBuilder();
  writeBlocks(source.toWellFormed().replaceAll('\r\n', '\n').split('\n'), builder);
  return builder.build();
}

interface Block {
  /** The first line behind it. */
  readonly end: number;
  readonly write: (builder: RichTextBuilder) => void;
}

type BlockReader = (lines: readonly string[], at: number) => Block | undefined;

const blockReaders: readonly BlockReader[] = [readFence, readHeading, readRule, readQuote, readTableBlock, readItem];

const fence = /^\s*(`{3,}|~{3,})(.*)$/;
const heading = /^ {0,3}#{1,6}\s+(.*)$/;
const closingHashes = /\s#+$/;
const rule = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
// Telegram has no quotes in quotes: an inner one is part of the outer.
const quote = /^(?: {0,3}> ?)+/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const task = /^\[([ xX])\]\s+/;

function writeBlocks(lines: readonly string[], builder: RichTextBuilder): void {
  let gap = '';
  for (let at = 0; at < lines.length;) {
    if (lines[at]?.trim() === '') {
      if (gap !== '') gap = '\n\n';
      at += 1;
      continue;
    }
    const block = readBlock(lines, at) ?? readParagraph(lines, at);
    builder.write(gap);
    block.write(builder);
    gap = '\n';
    at = block.end;
  }
}

function readBlock(lines: readonly string[], at: number): Block | undefined {
  for (const read of blockReaders) {
    const block = read(lines, at);
    if (block) return block;
  }
  return undefined;
}

/** A fence that is never closed holds the rest: that is how an answer looks while it arrives. */
function readFence(lines: readonly string[], at: number): Block | undefined {
  const [, marker, info = ''] = fence.exec(lines[at] ?? '') ?? [];
  if (marker === undefined || (marker.startsWith('`') && info.includes('`'))) return undefined;
  const closing = lines.findIndex((line, index) => index > at && closes(line, marker));
  const end = closing === -1 ? lines.length : closing;
  const indent = (lines[at] ?? '').search(/\S/);
  const code = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, line.search(/\S|$/))));
  const language = /^[\w+#.-]+/.exec(info.trim())?.[0];
  const style = { type: 'pre', ...(language !== undefined && { language }) } as const;
  return { end: end + 1, write: (builder) => builder.styled(style, () => builder.write(code.join('\n'))) };
}

function closes(line: string, marker: string): boolean {
  const text = line.trim();
  return text.startsWith(marker) && text.replaceAll(marker.charAt(0), '') === '';
}

function readHeading(lines: readonly string[], at: number): Block | undefined {
  const text = heading
    .exec(lines[at] ?? '')?.[1]
    ?.trim()
    .replace(closingHashes, '');
  if (text === undefined) return undefined;
  return { end: at + 1, write: (builder) => builder.styled({ type: 'bold' }, () => writeInline(text, builder)) };
}

function readRule(lines: readonly string[], at: number): Block | undefined {
  return rule.test(lines[at] ?? '') ? { end: at + 1, write: (builder) => builder.write('———') } : undefined;
}

function readQuote(lines: readonly string[], at: number): Block | undefined {
  let end = at;
  while (end < lines.length && quote.test(lines[end] ?? '')) end += 1;
  if (end === at) return undefined;
  const inner = lines.slice(at, end).map((line) => line.replace(quote, ''));
  return {
    end,
    write: (builder) => builder.styled({ type: 'blockquote' }, () => writeBlocks(inner, builder)),
  };
}

function readTableBlock(lines: readonly string[], at: number): Block | undefined {
  const table = readTable(lines, at);
  if (table === undefined) return undefined;
  return { end: table.end, write: (builder) => builder.styled({ type: 'pre' }, () => builder.write(table.text)) };
}

function readItem(lines: readonly string[], at: number): Block | undefined {
  const [, indent = '', marker, first = ''] = item.exec(lines[at] ?? '') ?? [];
  if (marker === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && isContinuation(lines, end, indent.length)) end += 1;
  const text = [first, ...lines.slice(at + 1, end).map((line) => line.trim())].join('\n');
  const checked = task.exec(text)?.[1];
  const bullet = checked === undefined ? (/\d/.test(marker) ? marker : '•') : checked === ' ' ? '☐' : '☑';
  return {
    end,
    write(builder) {
      builder.write(`${' '.repeat(Math.min(indent.length, 12))}${bullet} `);
      writeInline(text.replace(task, ''), builder);
    },
  };
}

function isContinuation(lines: readonly string[], at: number, indent: number): boolean {
  const line = lines[at] ?? '';
  return line.trim() !== '' && line.search(/\S/) > indent && readBlock(lines, at) === undefined;
}

/** Line breaks stay: in a chat they are meant. */
function readParagraph(lines: readonly string[], at: number): Block {
  let end = at + 1;
  while (end < lines.length && lines[end]?.trim() !== '' && readBlock(lines, end) === undefined) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trimEnd())
    .join('\n');
  return { end, write: (builder) => writeInline(text, builder) };
}
