import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compose } from '../../../src/providers/demo/compose.ts';
import type { Form } from '../../../src/providers/demo/intent.ts';

const forms: readonly Form[] = ['poem', 'haiku', 'list', 'note'];

test('the same wish gives the same text, another wish another', () => {
  for (const form of forms) {
    assert.equal(compose(form, 'the sea'), compose(form, 'the sea'));
    assert.notEqual(compose(form, 'the sea'), compose(form, 'a mountain'));
  }
});

test('a text is about what was asked for', () => {
  for (const form of forms) assert.match(compose(form, 'rain'), /rain/i, form);
});

test('each form has its shape', () => {
  const topics = ['rain', 'the sea', 'my grandmother', 'a very long and winding road home', ''];
  for (const topic of topics) {
    assert.equal(compose('haiku', topic).trim().split('\n').length, 3);
    const [, first, second] = compose('poem', topic).trim().split('\n\n');
    assert.deepEqual([first?.split('\n').length, second?.split('\n').length], [4, 4]);
    assert.deepEqual(compose('list', topic).match(/^\d\. /gm), ['1. ', '2. ', '3. ', '4. ', '5. ']);
    assert.match(compose('note', topic), /^# .+\n\n.+\.\n$/);
  }
});
