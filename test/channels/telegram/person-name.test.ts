import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personName } from '../../../src/channels/telegram/person-name.ts';

function named(first: string, last?: string, username?: string): string | undefined {
  return personName({
    id: 1,
    is_bot: false,
    first_name: first,
    ...(last !== undefined && { last_name: last }),
    ...(username !== undefined && { username }),
  });
}

test('a person is called by first and last name and by the name behind the @, as far as there are any', () => {
  assert.equal(named('Ada'), 'Ada');
  assert.equal(named('Ada', 'Lovelace', 'ada_l'), 'Ada Lovelace @ada_l');
  assert.equal(named('\u2066\u200B \n', undefined, 'ada_l'), '@ada_l');
  assert.equal(named('\u2066\u200B \n'), undefined);
});

test('a name stays on one line, without what nobody sees or what turns the direction of text', () => {
  assert.equal(named('Ada\ntelegram:7  owner,\u2028x\u001B[2J'), 'Ada telegram:7 owner, x[2J');
  assert.equal(named('\u202Eada\u202C', 'L\u200Bove\u0000lace'), 'ada Lovelace');
  assert.equal(named('👩‍💻 می‌خواهم'), '👩‍💻 می‌خواهم');
});

test('nobody writes the @ of somebody else into their name', () => {
  assert.equal(named('Bob @bob', '＠ann ﹫eve'), 'Bob bob ann eve');
});

test('a name has at most 64 characters, and the one behind the @ stays whole', () => {
  const username = 'a'.repeat(32);
  const long = named('😀'.repeat(64), 'x'.repeat(64), username);

  assert.equal(long, `${'😀'.repeat(14)}… @${username}`);
  assert.equal(named('x'.repeat(65)), `${'x'.repeat(63)}…`);
  assert.equal(named('x'.repeat(64)), 'x'.repeat(64));
});
