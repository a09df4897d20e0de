import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { describeError } from '../base/errors.ts';
import type { OutboundFile } from '../model/channel.ts';
import { judgeImage } from '../model/image.ts';
import type { ImageType } from '../model/image.ts';

const headLength = 12;

/** Hands out a file that came with a message. Whatever is in it, it is a download; only what is a picture can be shown. */
export async function sendFile(c: Context, { path, name, kind }: OutboundFile): Promise<Response> {
  const file = await openRegular(path, name);
  const { size } = await file.stat();
  const picture = kind === 'picture' ? await readPictureType(file) : undefined;
  const where = picture === undefined ? 'attachment' : 'inline';
  return c.body(Readable.toWeb(file.createReadStream({ start: 0 })) as ReadableStream, 200, {
    'content-type': picture ?? 'application/octet-stream',
    'content-length': String(size),
    'content-disposition': `${where}; filename*=UTF-8''${encodeURIComponent(name)}`,
  });
}

async function openRegular(path: string, name: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw new HTTPException(404, { message: `${name} is not there any more: ${describeError(thrown)}` });
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new HTTPException(404, { message: `${name} is not a file` });
}

/** Told by the first bytes, since a name proves nothing. */
async function readPictureType(file: FileHandle): Promise<ImageType | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
  const judged = judgeImage({ bytes: buffer.subarray(0, bytesRead) });
  return judged.type === 'image' ? judged.mediaType : undefined;
}
