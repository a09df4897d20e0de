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
  await using unlessSent = new AsyncDisposableStack();
  const file = unlessSent.use(await openFile(path, name));
  const found = await file.stat();
  if (!found.isFile()) throw new HTTPException(404, { message: `${name} is not a file` });
  const picture = kind === 'picture' ? await readPictureType(file) : undefined;
  const where = picture === undefined ? 'attachment' : 'inline';
  const headers = {
    'content-type': picture ?? 'application/octet-stream',
    'content-length': String(found.size),
    'content-disposition': `${where}; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
  unlessSent.move();
  return c.body(Readable.toWeb(file.createReadStream({ start: 0 })) as ReadableStream, 200, headers);
}

async function openFile(path: string, name: string): Promise<FileHandle> {
  return await open(path, 'r').catch((thrown: unknown) => {
    throw new HTTPException(404, { message: `${name} is not there any more: ${describeError(thrown)}` });
  });
}

/** Told by the first bytes, since a name proves nothing. */
async function readPictureType(file: FileHandle): Promise<ImageType | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
  const judged = judgeImage({ bytes: buffer.subarray(0, bytesRead) });
  return judged.type === 'image' ? judged.mediaType : undefined;
}
