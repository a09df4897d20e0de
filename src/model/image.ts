import { describeBytes } from '../base/describe-bytes.ts';

/** What every vendor takes. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A picture as it was handed in. */
export interface GivenImage {
  readonly bytes: Uint8Array;
  /** The name of its file, where it had one. */
  readonly name?: string;
}

export type JudgedImage =
  | { readonly type: 'image'; readonly mediaType: ImageType }
  | { readonly type: 'unfit'; readonly reason: string };

/**
 * 5 MiB as base64, which is what Anthropic's models take wherever they are served. An image stays in the conversation, and
 * so it must be one that the next model takes as well.
 */
export const mostImageBytes = (5 * 1024 * 1024 * 3) / 4;

/** Of one message. With more than 20 in a request Anthropic takes only small ones. */
export const mostImages = 20;

/** Of one message: as base64 within the 32 MB that Anthropic takes as a request. */
export const mostBytesTogether = 20 * 1024 * 1024;

/** Whether a model can be shown this. The type is told by the first bytes, since a name proves nothing. Pure. */
export function judgeImage({ bytes, name }: GivenImage): JudgedImage {
  const mediaType = readImageType(bytes);
  const what = name ?? 'this';
  if (mediaType === undefined)
    return { type: 'unfit', reason: `${what} is not a picture that models read: those are PNG, JPEG, GIF and WebP` };
  const problem = judgeImageSize(bytes.length, what);
  return problem === undefined ? { type: 'image', mediaType } : { type: 'unfit', reason: problem };
}

/** What is wrong with the size of a picture; undefined where nothing is. Pure. */
export function judgeImageSize(bytes: number, name: string): string | undefined {
  if (bytes <= mostImageBytes) return undefined;
  const most = describeBytes(mostImageBytes);
  return `${name} is too large: ${describeBytes(bytes)}, and a picture may have ${most}`;
}

function readImageType(bytes: Uint8Array): ImageType | undefined {
  const first = String.fromCharCode(...bytes.subarray(0, 12));
  if (first.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (first.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(first)) return 'image/gif';
  return /^RIFF[\s\S]{4}WEBP/.test(first) ? 'image/webp' : undefined;
}
