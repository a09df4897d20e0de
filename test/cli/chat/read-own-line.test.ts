import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitFile } from '../../../src/cli/chat/read-own-line.ts';

const lines: readonly (readonly [string, string, string])[] = [
  ['cat.png', 'cat.png', ''],
  ['cat.png what is this?', 'cat.png', 'what is this?'],
  ['"my cat.png" what?', 'my cat.png', 'what?'],
  ['\'my "cat".png\'', 'my "cat".png', ''],
  ['my\\ cat.png and\\ so on', 'my cat.png', 'and\\ so on'],
  ["'it'\\''s.png' hm", "it's.png", 'hm'],
  ['"a \\"b\\".png"\tand', 'a "b".png', 'and'],
  ["cat.png what's this?", 'cat.png', "what's this?"],
  ['', '', ''],
];

test('the file of /image is read as a shell reads a word, and the rest is what is said about it', () => {
  for (const [rest, file, text] of lines) assert.deepEqual(splitFile(rest), { file, text }, rest);
});
