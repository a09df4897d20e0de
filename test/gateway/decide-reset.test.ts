import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideReset } from '../../src/gateway/decide-reset.ts';
import type { ResetReason } from '../../src/gateway/decide-reset.ts';
import type { ResetSettings } from '../../src/model/config.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';

const hourMs = 60 * 60 * 1000;
const chat = { platform: 'telegram', account: 'a', chat: 'c', thread: '' };
const usual = withDefaults({} as UserConfig).sessionReset;

/** A time of the local day, in the night of whose second day nothing is said. */
function at(day: number, hour: number): number {
  return new Date(2026, 5, day, hour).getTime();
}

const cases: readonly (readonly [string, Partial<ResetSettings>, number, number, ResetReason | undefined])[] = [
  ['by itself a session is over when nothing was said for a day', {}, at(1, 12), at(2, 12) + 1, 'idle'],
  ['and not a moment before', {}, at(1, 12), at(2, 12), undefined],
  ['nor because the night has passed', {}, at(1, 23), at(2, 9), undefined],
  ['idle counts in its own minutes', { idleMs: hourMs }, at(1, 12), at(1, 14), 'idle'],
  ['daily ends what was last active before its hour', { mode: 'daily' }, at(1, 23), at(2, 4), 'daily'],
  ['daily leaves what was active since', { mode: 'daily' }, at(2, 5), at(3, 3), undefined],
  ['daily goes by the day before until its hour has come', { mode: 'daily', atHour: 6 }, at(1, 7), at(2, 5), undefined],
  ['daily asks for no long silence', { mode: 'daily' }, at(2, 3), at(2, 4), 'daily'],
  ['both ends it at whichever comes first', { mode: 'both' }, at(1, 23), at(2, 9), 'daily'],
  ['both names the silence where there was one, too', { mode: 'both' }, at(1, 23), at(9, 9), 'idle'],
  ['off ends nothing', { mode: 'off' }, at(1, 0), at(30, 0), undefined],
];

for (const [title, settings, activeAt, now, expected] of cases) {
  test(`reset policy: ${title}`, () => {
    assert.equal(decideReset({ address: chat, activeAt }, { ...usual, ...settings }, now), expected);
  });
}

test('reset policy: a session in a terminal is never over by itself', () => {
  const address = { ...chat, platform: 'terminal' };

  assert.equal(decideReset({ address, activeAt: at(1, 0) }, { ...usual, mode: 'both' }, at(30, 0)), undefined);
});

test('reset policy: the settings are called as elsewhere, and none is another word for off', () => {
  const user = { session_reset: { mode: 'none', idle_minutes: 90, at_hour: 5, notify: false } };

  assert.deepEqual(withDefaults(user as UserConfig).sessionReset, {
    mode: 'off',
    idleMs: 90 * 60_000,
    atHour: 5,
    notify: false,
  });
  assert.deepEqual(usual, { mode: 'idle', idleMs: 24 * hourMs, atHour: 4, notify: true });
});
