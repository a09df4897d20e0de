import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessCommand } from '../../../src/tools/shell/assess-command.ts';
import { loadBashSyntax } from '../../../src/tools/shell/bash-syntax.ts';

const syntax = await loadBashSyntax();
const surroundings = { home: '/home/ann', folder: '/home/ann/project' };

test('why something is asked about is true of it', () => {
  const filledIn = 'the shell fills in a part of it: a variable, a wildcard or what a command prints';
  const redirected = 'it reads its input from a file or a text, or writes to a file';
  const reasons: readonly (readonly [string, string])[] = [
    ['echo $OPENAI_API_KEY', filledIn],
    ['ls *', filledIn],
    ['echo $(pwd)', filledIn],
    ['ls 2>file', redirected],
    ['cat < x', redirected],
    ['ls; touch x', 'it is more than one plain command'],
    ['touch x', 'touch is not known to do nothing but read'],
    ["echo 'x", 'it cannot be read for certain'],
  ];

  const told = reasons.map(([command]) => {
    const risk = assessCommand(command, surroundings, syntax);
    return [command, risk.type === 'ask' ? risk.why : risk.type];
  });

  assert.deepEqual(told, reasons);
});
