import { crc32, deflateSync } from 'node:zlib';
import type { GivenImage } from '../../src/model/image.ts';

/** A real PNG of one colour; each shade of grey is another picture. */
export function makePng(shade: number, side = 4): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits a pixel, grey.
  header.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array<number>(side).fill(shade)]);
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(side).fill(row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

export function picture(shade: number, name = `shade-${shade}.png`): GivenImage {
  return { bytes: makePng(shade), name };
}

export function base64Of({ bytes }: GivenImage): string {
  return Buffer.from(bytes).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
