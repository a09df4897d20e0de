import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showEvent } from '../../src/gateway/turn-previews.ts';
import { call, called, entryEvent } from '../cli/support/log-entries.ts';

test('what runs is on the status line in the words of the terminal', () => {
  const wait = { ...call('c1', ''), name: 'process', arguments: '{"action":"wait","id":"proc_3","timeout":60}' };

  const shown = showEvent({ text: 'So far', status: '' }, entryEvent(called(wait)));

  assert.deepEqual(shown, { text: 'So far', status: 'process wait proc_3' });
});
