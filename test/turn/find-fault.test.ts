import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage } from '../../src/model/message.ts';
import { findFault } from '../../src/turn/find-fault.ts';

function message(text: string, args?: string): AssistantMessage {
  const calls = args === undefined ? [] : [{ id: 'c' as CallId, name: 'read_file', arguments: args }];
  return { role: 'assistant', parts: text === '' ? [] : [textPart(text)], calls };
}

test('an answer without text or calls is empty', () => {
  assert.equal(findFault(message(' \n'), 'stop', 0), 'empty');
  assert.equal(findFault(message('hi'), 'stop', 0), undefined);
});

test('a call that the length limit cut is never used, even if it looks whole', () => {
  assert.equal(findFault(message('', '{"path":"a"}'), 'length', 99), 'cut-call');
});

test('a call that is not JSON is asked for twice more and then handed to the model as a mistake', () => {
  const faults = [0, 1, 2].map((failures) => findFault(message('', '{"path":'), 'calls', failures));

  assert.deepEqual(faults, ['broken-call', 'broken-call', undefined]);
});
