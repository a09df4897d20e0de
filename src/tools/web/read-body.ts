import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

export interface WebBody {
  readonly bytes: Buffer;
  /** Whether that is all, or the beginning of something longer. */
  readonly extent: 'whole' | 'cut';
}

const mostCompressed = 30 * 1024 * 1024;

/**
 * Reads an answer, unpacked, up to so many bytes; what is longer is let go of. Throws where it breaks off, or is packed in
 * a way that nobody asked for.
 */
export async function readBody(message: IncomingMessage, mostBytes: number): Promise<WebBody> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of await unpack(message)) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > mostBytes) return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), extent: 'cut' };
    }
    return { bytes: Buffer.concat(pieces), extent: 'whole' };
  } finally {
    message.destroy();
  }
}

async function unpack(message: IncomingMessage): Promise<Readable> {
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return message;
  const decoder = await createDecoder(encoding);
  const { pipeline } = await import('node:stream');
  let received = 0;
  // What unpacks to nothing could go on for ever.
  message.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received > mostCompressed) message.destroy(new Error('it is too long'));
  });
  // Whoever iterates is told of the error.
  pipeline(message, decoder, () => undefined);
  return decoder;
}

async function createDecoder(encoding: string): Promise<Duplex> {
  const zlib = await import('node:zlib');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress();
    default:
      throw new Error('it is packed in a way that was not asked for');
  }
}
