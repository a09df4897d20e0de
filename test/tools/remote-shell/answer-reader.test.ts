import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from '../../../src/tools/remote-shell/answer-reader.ts';
import type { Answer } from '../../../src/tools/remote-shell/answer-reader.ts';

function told(answers: readonly Answer[] | undefined): readonly string[] | undefined {
  return answers?.map(({ name, bytes }) => `${name}=${bytes.toString('latin1')}`);
}

test('answers are taken out of pieces of any size, whatever start-up files said before', () => {
  const text = 'Welcome!\nmark-x\nlast words: mark\n\nmark\nepoch 3\na\nboutput 0\nover 2\n\0\xFF';
  for (let size = 1; size <= text.length; size += 1) {
    const reader = new AnswerReader('mark');
    const bytes = Buffer.from(text, 'latin1');

    const seen: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      seen.push(...(told(reader.read(bytes.subarray(at, at + size))) ?? []));

    assert.deepEqual(seen, ['epoch=a\nb', 'output=', 'over=\0\xFF']);
  }
});

test('what is no answer is called so, also where its length cannot be meant', () => {
  assert.equal(begun().read(Buffer.from('hello\n')), undefined);
  assert.equal(begun().read(Buffer.from('output 99999999\n')), undefined);
  assert.equal(begun().read(Buffer.alloc(200, 'x')), undefined);
  assert.deepEqual(told(begun().read(Buffer.from('over 0\nrest'))), ['over=']);
});

function begun(): AnswerReader {
  const reader = new AnswerReader('mark');
  reader.read(Buffer.from('\nmark\n'));
  return reader;
}
