import { describeBytes } from '../base/describe-bytes.ts';
import type { SessionId } from '../base/ids.ts';
import { judgeImage, mostBytesTogether, mostImages } from '../model/image.ts';
import type { GivenImage } from '../model/image.ts';
import type { Inbound } from '../model/channel.ts';
import type { ImagePart, Part } from '../model/message.ts';
import type { Blobs, StoreTx } from '../model/store.ts';

export type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

const longestName = 80;

/** What is wrong with the pictures of a message, in a line for its sender; undefined where nothing is. Pure. */
export function judgeImages(images: readonly GivenImage[]): string | undefined {
  const judged = images.map(judgeImage).find((image) => image.type === 'unfit');
  if (judged !== undefined) return judged.reason;
  if (images.length > mostImages) return `a message has room for ${mostImages} pictures, not for ${images.length}`;
  const bytes = images.reduce((sum, image) => sum + image.bytes.length, 0);
  if (bytes <= mostBytesTogether) return undefined;
  return `these pictures are too large together: ${describeBytes(bytes)}, and a message has room for ${describeBytes(mostBytesTogether)}`;
}

/** Keeps pictures with the session and returns what stands for them in its log, in their order. */
async function keepImages(
  images: readonly GivenImage[],
  sessionId: SessionId,
  blobs: Pick<Blobs, 'put'>,
): Promise<readonly ImagePart[]> {
  const parts: ImagePart[] = [];
  for (const image of images) {
    const judged = judgeImage(image);
    if (judged.type === 'unfit') continue;
    const blob = await blobs.put(sessionId, Buffer.from(image.bytes).toString('base64'));
    const name = tidyName(image.name);
    parts.push({
      type: 'image',
      blob,
      mediaType: judged.mediaType,
      bytes: image.bytes.length,
      ...(name === '' ? {} : { name }),
    });
  }
  return parts;
}

/** One line that fits between brackets: the model reads it, and whoever named the file may not be the one who sends it. */
function tidyName(name = ''): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\s[\]]+/gu, ' ')
    .trim()
    .slice(-longestName)
    .toWellFormed();
}

/** The parts of a message for the log, the pictures that came with it first. */
export async function keepParts(
  { images = [], parts }: InboundMessage,
  sessionId: SessionId,
  tx: Pick<StoreTx, 'blobs'>,
): Promise<readonly Part[]> {
  return [...(await keepImages(images, sessionId, tx.blobs)), ...parts];
}
