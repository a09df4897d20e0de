import assert from 'node:assert/strict';
import type { BlobId, SessionId } from '../../../src/base/ids.ts';
import { inChat } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const blobPromises: Promises = {
  'a text comes back whole, also a large one and one with odd characters': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const texts = ['', 'plain', 'a\0b\r\n😀 東京', 'x'.repeat(3_000_000)];

    const ids = await Promise.all(texts.map((text) => house.store.blobs.put(session.id, text)));
    const store = await house.reopen();

    const read = await Promise.all(ids.map((id) => store.blobs.read(session.id, id)));
    assert.deepEqual(read, texts);
    assert.equal(await store.blobs.read(session.id, 'none' as BlobId), undefined);
  },

  'the same text has the same id, and a session reads only what was put for it': async ({ open }) => {
    await using house = await open();
    const one = await house.store.sessions.at(inChat('one'));
    const two = await house.store.sessions.at(inChat('two'));

    const id = await house.store.blobs.put(one.id, 'text');
    assert.equal(await house.store.blobs.put(one.id, 'text'), id);
    assert.notEqual(await house.store.blobs.put(one.id, 'other'), id);
    assert.equal(await house.store.blobs.read(two.id, id), undefined);
    assert.equal(await house.store.blobs.put(two.id, 'text'), id);
    assert.equal(await house.store.blobs.read(two.id, id), 'text');
    await assert.rejects(house.store.blobs.put('ses_none' as SessionId, 'text'), { code: 'not-found' });
  },
};
