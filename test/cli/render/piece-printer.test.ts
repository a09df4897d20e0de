import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PiecePrinter } from '../../../src/cli/render/piece-printer.ts';
import { chooseStyle } from '../../../src/cli/render/style.ts';

const style = chooseStyle({ isTerminal: false, env: {} });

/** All that is printed at 9 columns, as one text. */
function print(use: (printer: PiecePrinter) => void): string {
  let printed = '';
  const write = (text: string): void => void (printed += text);
  use(new PiecePrinter({ speech: write, notes: write, style, columns: () => 9 }));
  return printed;
}

test('an answer that ends inside a block of code does not leave the next one in it', () => {
  const printed = print((printer) => {
    printer.print({ type: 'speech', text: '```\na b c d e f' });
    printer.print({ type: 'speech.ended', text: '```\na b c d e f', purpose: 'answer' });
    printer.print({ type: 'speech', text: 'a b c d e f' });
    printer.endSpeech();
  });

  assert.equal(printed, '```\na b c d e f\na b c d e\nf\n');
});

test('a line of ours in the middle of a block of code does not end the block', () => {
  const printed = print((printer) => {
    printer.speak('```\na b');
    printer.line('Noted.');
    printer.speak(' c d e f g\nh i j k l m');
    printer.endSpeech();
  });

  assert.equal(printed, '```\na b\nNoted.\n c d e f g\nh i j k l m\n');
});

test('a word that is held back is printed before anything else is', () => {
  const printed = print((printer) => {
    printer.speak('one tw');
    printer.line('Noted.');
    printer.speak('o');
    printer.print({ type: 'call', text: 'browser' });
    printer.speak('three');
    printer.endLine();
  });

  assert.equal(printed, 'one tw\nNoted.\no\n• browser\nthree\n');
});

test('a call and its outcome take one row each, whatever they say', () => {
  const printed = print((printer) => {
    printer.print({ type: 'call', text: 'browser  open https://example.com/' });
    printer.print({ type: 'outcome', text: '✓ a title', room: 'row' });
  });

  assert.equal(printed, '• browse…\n  ✓ a ti…\n');
});

test('why a call failed takes up to three rows that break between words, and what is cut off is marked', () => {
  assert.equal(printFailure('✗ a b c d e f'), '  ✗ a b\n    c d e\n    f\n');
  assert.equal(printFailure('✗ a b c d e f g h i'), '  ✗ a b\n    c d e\n    f g…\n');
  assert.equal(printFailure('✗ no'), '  ✗ no\n');
});

test('the words of the model are wrapped to their screen, and notes to theirs', () => {
  let speech = '';
  let notes = '';
  const printer = new PiecePrinter({
    speech: (text) => void (speech += text),
    notes: (text) => void (notes += text),
    style,
    columns: (what) => (what === 'speech' ? undefined : 9),
  });

  printer.print({ type: 'speech', text: 'a b c d e f' });
  printer.print({ type: 'note', text: 'a b c d e f' });

  assert.deepEqual([speech, notes], ['a b c d e f\n', 'a b c d e\nf\n']);
});

function printFailure(text: string): string {
  return print((printer) => printer.print({ type: 'outcome', text, room: 'few-rows' }));
}
