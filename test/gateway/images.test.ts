import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { mostImageBytes } from '../../src/model/image.ts';
import type { GivenImage } from '../../src/model/image.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import { base64Of, makePng, picture } from '../support/pictures.ts';
import { openTestHouse } from '../support/test-house.ts';

/** A picture with so many bytes behind it that do no harm. */
function pictureOf(bytes: number, name: string): GivenImage {
  return { bytes: Buffer.concat([makePng(1), Buffer.alloc(bytes)]).subarray(0, bytes), name };
}

test('a picture is kept for its session with the message, and stands in the log by reference', async () => {
  await using house = await openTestHouse({ script: () => says('A cat.') });
  const cat = picture(9, 'my\n[cat].png');

  await house.say('what is this?', [cat]);

  const { id } = await house.session();
  const [admitted] = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.admitted' ? [entry] : []));
  const [image, text] = admitted?.parts ?? [];
  assert.ok(image?.type === 'image');
  const { blob, ...rest } = image;
  assert.deepEqual(rest, { type: 'image', mediaType: 'image/png', bytes: cat.bytes.length, name: 'my cat .png' });
  assert.deepEqual(text, { type: 'text', text: 'what is this?' });
  assert.equal(await house.app.store.blobs.read(id, blob), base64Of(cat));
  assert.equal(JSON.stringify(await house.log()).includes(base64Of(cat)), false);
});

const large = pictureOf(mostImageBytes + 1, 'large.png');
const refusals: readonly (readonly [string, readonly GivenImage[], string])[] = [
  [
    'no picture',
    [picture(1), { bytes: Buffer.from('%PDF-1.7'), name: 'bill.png' }],
    'bill.png is not a picture that models read: those are PNG, JPEG, GIF and WebP',
  ],
  ['too large', [large], 'large.png is too large: 3.76 MB, and a picture may have 3.75 MB'],
  ['too many', Array<GivenImage>(21).fill(picture(1)), 'a message has room for 20 pictures, not for 21'],
  [
    'too large together',
    Array<GivenImage>(6).fill(pictureOf(mostImageBytes, 'a.png')),
    'these pictures are too large together: 22.5 MB, and a message has room for 20 MB',
  ],
];

for (const [what, images, reason] of refusals) {
  test(`a message with what is ${what} is refused with the reason, and nothing of it is kept`, async () => {
    await using house = await openTestHouse({ script: () => says('never') });

    const intake = await house.admit('look', images);

    assert.deepEqual(intake, { type: 'refused', reason });
    assert.deepEqual(await house.log(), []);
    assert.equal(house.server.requests.length, 0);
  });
}

test('the words that come with a picture are no command, whatever they begin with', async () => {
  await using house = await openTestHouse({ script: () => says('I see /new on it.') });

  const intake = await house.admit('/new', [picture(1)]);
  await house.whenIdle();

  assert.equal(intake.type, 'admitted');
  assert.equal(house.shown.at(-1)?.text, 'I see /new on it.');
});

test('a message with a picture that is delivered twice is taken in once', async () => {
  await using house = await openTestHouse({ script: () => says('A cat.') });
  const { address, workdir } = house;
  const messageId = newId('turn', 1);
  const key = { platform: 'terminal', account: 'local', chat: 'house', messageId, revision: 0 };
  const inbound = { type: 'message', key, address, person: 'owner' as PersonId, parts: [], workdir } as const;

  const first = await house.gateway.takeIn({ ...inbound, images: [picture(1)] });
  await house.whenIdle();
  const second = await house.gateway.takeIn({ ...inbound, images: [picture(1)] });

  assert.deepEqual([first.type, second.type], ['admitted', 'ignored']);
  assert.equal(house.server.requests.length, 1);
});

test('a picture that is read as a file is shown to the model behind the results of that step, also after a restart', async () => {
  const cat = picture(9, 'cat.png');
  await using house = await openTestHouse({
    script: [
      callsTools([
        { name: 'read_file', args: { path: 'cat.png' } },
        { name: 'read_file', args: { path: 'note.txt' } },
      ]),
      says('A cat.'),
      says('Still a cat.'),
    ],
  });
  await writeFile(join(house.workdir, 'cat.png'), cat.bytes);
  await writeFile(join(house.workdir, 'note.txt'), 'about the cat');

  await house.say('what is in the file?');
  await house.restart();
  await house.say('sure?');

  const [, second, third] = house.server.requests.map(({ json }) => (json?.['messages'] ?? []) as JsonObject[]);
  assert.deepEqual(
    second?.slice(1).map(({ role }) => role),
    ['user', 'assistant', 'tool', 'tool', 'user'],
  );
  assert.match(JSON.stringify(second?.at(-1)), new RegExp(RegExp.escape(base64Of(cat))));
  assert.match(JSON.stringify(second?.[3]), /is a picture; models that can see are shown it next/);
  assert.deepEqual(third?.slice(0, second?.length), second);
});

test('what only looks like a picture, or is too large for any model, is not shown', async () => {
  await using house = await openTestHouse({
    script: [callsTool('read_file', { path: 'large.png' }), says('Too large.')],
  });
  await writeFile(join(house.workdir, 'large.png'), large.bytes);

  await house.say('look');

  const [settled] = (await house.log()).flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome] : []));
  assert.match(settled?.type === 'failed' ? settled.message : '', /large\.png is too large/);
});
