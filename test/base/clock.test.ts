import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';

test('a sleep that was aborted before it began does not begin', async () => {
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(new Error('stopped'))), /stopped/);
});

test('an abort ends a sleep at once, with its reason', async () => {
  const controller = new AbortController();
  const sleep = systemClock.sleep(60_000, controller.signal);

  controller.abort(new Error('stopped'));

  await assert.rejects(sleep, /stopped/);
});

test('a sleep that nobody stops ends by itself', async () => {
  await systemClock.sleep(1, new AbortController().signal);
});
