import type { MessageEntity } from 'grammy/types';
import { badRequest } from './telegram-server-faults.ts';

const maxLength = 4096;
const maxEntities = 100;
const plainInside: ReadonlySet<string> = new Set(['code', 'pre']);

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** Checks a text as the API does: not empty, at most 4,096 UTF-16 units, and entities that fit it and each other. */
export function checkText(text: unknown, entities: unknown): FormattedText {
  if (typeof text !== 'string' || text.trim() === '') throw badRequest('message text is empty');
  if (text.length > maxLength) throw badRequest('message is too long');
  if (!text.isWellFormed()) throw badRequest('strings must be encoded in UTF-8');
  const list = (entities ?? []) as readonly MessageEntity[];
  for (const entity of list) checkEntity(entity, text);
  for (const [index, entity] of list.entries()) {
    for (const other of list.slice(index + 1)) checkPair(entity, other);
  }
  // What is beyond the limit is left out without a word.
  return { text, entities: list.slice(0, maxEntities) };
}

function checkEntity({ offset, length }: MessageEntity, text: string): void {
  if (offset < 0 || length <= 0 || offset + length > text.length) {
    throw badRequest(`can't parse entities: entity at ${offset} of ${length} lies outside of the text`);
  }
  for (const edge of [offset, offset + length]) {
    if (isInsideSymbol(text, edge)) throw badRequest(`entity begins in a middle of a UTF-16 symbol at ${edge}`);
  }
}

function isInsideSymbol(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}

function checkPair(left: MessageEntity, right: MessageEntity): void {
  const [outer, inner] = left.offset <= right.offset ? [left, right] : [right, left];
  const outerEnd = outer.offset + outer.length;
  if (inner.offset >= outerEnd) return;
  if (inner.offset > outer.offset && inner.offset + inner.length > outerEnd) {
    throw badRequest(`can't parse entities: ${outer.type} and ${inner.type} overlap`);
  }
  const types = [outer.type, inner.type];
  const hasPlain = types.some((type) => plainInside.has(type));
  if ((hasPlain && !types.includes('blockquote')) || types.every((type) => type === 'blockquote')) {
    throw badRequest(`can't parse entities: ${inner.type} cannot stand in ${outer.type}`);
  }
}
