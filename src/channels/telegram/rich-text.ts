import type { MessageEntity } from 'grammy/types';

/**
 * A text and what is special about stretches of it, counted in UTF-16 units: Telegram's own form. Nothing in it has to be
 * escaped, so nothing in it can fail to parse.
 */
export interface RichText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

export type Style = MessageEntity extends infer Entity
  ? Entity extends MessageEntity
    ? Omit<Entity, 'offset' | 'length'>
    : never
  : never;

export function plainText(text: string): RichText {
  return { text, entities: [] };
}

/** Puts a text together. Code stays free of other styles, since Telegram allows none in it. */
export class RichTextBuilder {
  #text = '';
  readonly #entities: MessageEntity[] = [];
  readonly #codes: MessageEntity[] = [];

  get text(): string {
    return this.#text;
  }

  write(text: string): void {
    this.#text += text;
  }

  /** Styles everything that is written meanwhile. */
  styled(style: Style, write: () => void): void {
    const offset = this.#text.length;
    const codesBefore = this.#codes.length;
    write();
    const length = this.#text.length - offset;
    if (length === 0) return;
    const entity = { ...style, offset, length };
    if (isCode(entity)) this.#codes.push(entity);
    const isWhole = isCode(entity) || entity.type === 'blockquote';
    this.#entities.push(...(isWhole ? [entity] : without(entity, this.#codes.slice(codesBefore))));
  }

  build(): RichText {
    const leading = this.#text.length - this.#text.trimStart().length;
    const text = this.#text.trim();
    const entities = this.#entities.flatMap((entity) => clip(entity, leading, leading + text.length));
    return { text, entities: entities.toSorted(outerFirst) };
  }
}

/** A stretch of a text, with what is special about it. */
export function sliceRichText({ text, entities }: RichText, from: number, to: number): RichText {
  return { text: text.slice(from, to), entities: entities.flatMap((entity) => clip(entity, from, to)) };
}

/** A text behind another. */
export function joinRichText(first: RichText, second: RichText): RichText {
  const shift = first.text.length;
  const shifted = second.entities.map((entity) => ({ ...entity, offset: entity.offset + shift }));
  return { text: first.text + second.text, entities: [...first.entities, ...shifted] };
}

export function isCode({ type }: MessageEntity): boolean {
  return type === 'code' || type === 'pre';
}

function outerFirst(left: MessageEntity, right: MessageEntity): number {
  return left.offset - right.offset || right.length - left.length;
}

function clip(entity: MessageEntity, from: number, to: number): readonly MessageEntity[] {
  const start = Math.max(entity.offset, from);
  const end = Math.min(entity.offset + entity.length, to);
  return end > start ? [{ ...entity, offset: start - from, length: end - start }] : [];
}

/** What is left of an entity when others, which lie in it in order, are cut out. */
function without(entity: MessageEntity, inner: readonly MessageEntity[]): readonly MessageEntity[] {
  const end = entity.offset + entity.length;
  const starts = [entity.offset, ...inner.map(({ offset, length }) => offset + length)];
  const ends = [...inner.map(({ offset }) => offset), end];
  return starts.flatMap((offset, index) => {
    const length = (ends[index] ?? end) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
}
