import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { previewEvent, TurnPreviews } from '../../src/gateway/turn-previews.ts';
import type { Preview } from '../../src/model/channel.ts';
import { addressKey } from '../../src/model/session.ts';
import type { TurnRef } from '../../src/model/turn.ts';
import { ScriptedChannel } from '../support/scripted-channel.ts';
import { call, called, entryEvent } from '../cli/support/log-entries.ts';

test('what runs is on the status line in the words of the terminal', () => {
  const wait = { ...call('c1', ''), name: 'process', arguments: '{"action":"wait","id":"proc_3","timeout":60}' };

  const shown = previewEvent({ text: 'So far', status: '' }, entryEvent(called(wait)));

  assert.deepEqual(shown, { text: 'So far', status: 'process wait proc_3' });
});

test('a turn is shown once the one before it in the chat is off the screen, however early it begins', async () => {
  const channel = new ScriptedChannel('telegram');
  const address = { platform: 'telegram', account: 'bot', chat: '1', thread: '' };
  const { signal } = new AbortController();
  const previews = new TurnPreviews({ channelFor: () => channel, isHeldUp: () => false, signal });
  const sessionId = newId('session', 0);
  const [first, second]: readonly TurnRef[] = [1, 2].map((now) => ({ sessionId, turnId: newId('turn', now) }));
  assert.ok(first && second);

  previews.show(address, first, { type: 'text.delta', text: 'one' });
  previews.show(address, second, { type: 'text.delta', text: 'two' });
  const before = channel.previews.map(describe);
  previews.end(address, first);
  await new Promise((resolve) => setImmediate(resolve));
  previews.show(address, second, { type: 'text.delta', text: ', and more' });
  previews.end(address, second);

  assert.deepEqual(before, ['one']);
  assert.deepEqual(channel.previews.map(describe), ['one', 'over', 'two', 'two, and more', 'over']);
});

test('what is shown of a turn is marked as a reply in the place where its message stands, and nowhere else', () => {
  const channel = new ScriptedChannel('telegram');
  const place = { platform: 'telegram', account: 'bot', chat: '1', thread: '' };
  const address = { ...place, member: 'telegram:42' as PersonId };
  const { signal } = new AbortController();
  const previews = new TurnPreviews({ channelFor: () => channel, isHeldUp: () => false, signal });
  const turn = { sessionId: newId('session', 0), turnId: newId('turn', 1) };
  const replyTo = { place: addressKey(place), id: '17' };

  previews.show(address, { ...turn, replyTo }, { type: 'text.delta', text: 'one' });
  previews.show({ ...address, chat: '2' }, { ...turn, replyTo }, { type: 'text.delta', text: 'two' });

  assert.deepEqual(channel.previews, [
    { type: 'working', address, text: 'one', status: '', replyTo: '17' },
    { type: 'working', address: { ...address, chat: '2' }, text: 'two', status: '' },
  ]);
});

function describe(preview: Preview): string {
  return preview.type === 'working' ? preview.text : preview.type;
}
