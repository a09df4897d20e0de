import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseStyle, decideEscapes } from '../../../src/cli/render/style.ts';

const cases = [
  { what: 'a terminal', isTerminal: true, env: { TERM: 'xterm' }, dim: '\u001b[2mx\u001b[22m', escapes: 'allowed' },
  { what: 'a pipe', isTerminal: false, env: { TERM: 'xterm' }, dim: 'x', escapes: 'forbidden' },
  { what: 'a dumb terminal', isTerminal: true, env: { TERM: 'dumb' }, dim: 'x', escapes: 'forbidden' },
  { what: 'a terminal with NO_COLOR', isTerminal: true, env: { NO_COLOR: '1' }, dim: 'x', escapes: 'allowed' },
  {
    what: 'a terminal with an empty NO_COLOR',
    isTerminal: true,
    env: { NO_COLOR: '' },
    dim: '\u001b[2mx\u001b[22m',
    escapes: 'allowed',
  },
] as const;

for (const { what, isTerminal, env, dim, escapes } of cases) {
  test(`on ${what} colours are ${dim === 'x' ? 'left out' : 'used'}, and other escape codes are ${escapes}`, () => {
    assert.equal(chooseStyle({ isTerminal, env }).dim('x'), dim);
    assert.equal(decideEscapes({ isTerminal, env }), escapes);
  });
}
