import type { OutboundKind } from '../../model/channel.ts';
import { layListing } from './lay-listing.ts';
import { renderMarkdown } from './markdown.ts';
import { plainText } from './rich-text.ts';
import type { RichText } from './rich-text.ts';
import { splitRichText } from './split-text.ts';

/** Telegram takes 4,096 units; the rest is for what is put around a piece: a mark, an ending, a status line. */
const pieceLimit = 3900;

const nothing = plainText('(no text)');

/**
 * A text as the messages that it is sent in, one at least. Only replies are Markdown: what a person is asked to allow
 * must stand there as it is.
 */
export function layOut(kind: OutboundKind, text: string): readonly RichText[] {
  const plain = plainText(text.toWellFormed().trim());
  const rendered = kind === 'reply' ? renderMarkdown(text) : kind === 'listing' ? layListing(plain.text) : plain;
  const pieces = splitRichText(rendered.text === '' ? plain : rendered, pieceLimit);
  return pieces.length === 0 ? [nothing] : pieces;
}
