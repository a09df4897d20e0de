import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlobId } from '../../src/base/ids.ts';
import { judgeImage, mostImageBytes } from '../../src/model/image.ts';
import { partsToText, textPart } from '../../src/model/message.ts';
import { makePng } from '../support/pictures.ts';

const beginnings: readonly (readonly [string, Uint8Array])[] = [
  ['image/png', makePng(7)],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
  ['image/gif', Buffer.from('GIF89a…')],
  ['image/gif', Buffer.from('GIF87a…')],
  ['image/webp', Buffer.concat([Buffer.from('RIFF'), Buffer.from([0x0a, 0xff, 0, 0]), Buffer.from('WEBPVP8 ')])],
];

test('the type of a picture is told by its first bytes, whatever it is called', () => {
  for (const [mediaType, bytes] of beginnings)
    assert.deepEqual(judgeImage({ bytes, name: 'notes.txt' }), { type: 'image', mediaType });
});

test('what is no picture that models read is refused, also under the name of one', () => {
  const others = ['', 'GIF88a', '<svg xmlns="…"/>', 'RIFF    WAVEfmt ', '\u0089PNG', 'BM….'];
  for (const text of others) {
    const judged = judgeImage({ bytes: Buffer.from(text), name: 'photo.png' });
    assert.deepEqual(judged, {
      type: 'unfit',
      reason: 'photo.png is not a picture that models read: those are PNG, JPEG, GIF and WebP',
    });
  }
});

test('a picture is refused from the first byte on that makes it more than 5 MiB of base64', () => {
  const largest = Buffer.concat([makePng(7), Buffer.alloc(mostImageBytes)]).subarray(0, mostImageBytes);

  assert.equal(largest.toString('base64').length, 5 * 1024 * 1024);
  assert.equal(judgeImage({ bytes: largest }).type, 'image');
  assert.deepEqual(judgeImage({ bytes: Buffer.concat([largest, Buffer.alloc(1)]), name: 'a.png' }), {
    type: 'unfit',
    reason: 'a.png is too large: 3.76 MB, and a picture may have 3.75 MB',
  });
});

test('where a picture is not shown, a line says what it was', () => {
  const image = { type: 'image', blob: 'b' as BlobId, mediaType: 'image/png', bytes: 34_567 } as const;

  assert.equal(partsToText([{ ...image, name: 'cat.png' }, textPart('?')]), '[an image: cat.png, image/png, 34 KB]\n?');
  assert.equal(partsToText([image]), '[an image: image/png, 34 KB]');
});
