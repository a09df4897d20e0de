import { partsToText } from '../model/message.ts';
import type { ImagePart, Part } from '../model/message.ts';
import type { ModelRequest } from '../model/provider.ts';

/** A piece of what the user said, as a model that sees is shown it. */
export type ShownPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: ImagePart['mediaType']; readonly data: string };

/**
 * A user's message with its images, in its order and without blank texts; undefined where it has none to show, and is just
 * text. Depends on nothing but the message and its images, so that every request writes it the same. Pure.
 */
export function partsToShow(parts: readonly Part[], images: ModelRequest['images']): readonly ShownPart[] | undefined {
  if (images === undefined || !parts.some((part) => part.type === 'image' && images.has(part.blob))) return undefined;
  return parts.flatMap((part): readonly ShownPart[] => {
    const data = part.type === 'image' ? images.get(part.blob) : undefined;
    if (part.type === 'image' && data !== undefined) return [{ type: 'image', mediaType: part.mediaType, data }];
    const text = partsToText([part]);
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  });
}

/** An image as an address that carries it, as OpenAI's protocols want it. */
export function imageAddress({ mediaType, data }: Extract<ShownPart, { readonly type: 'image' }>): string {
  return `data:${mediaType};base64,${data}`;
}
