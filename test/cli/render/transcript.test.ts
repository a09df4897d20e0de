import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PiecePrinter } from '../../../src/cli/render/piece-printer.ts';
import { chooseStyle } from '../../../src/cli/render/style.ts';
import { transcribe } from '../../../src/cli/render/transcript.ts';
import type { LoggedEntry } from '../../../src/model/turn.ts';
import {
  admitted,
  answered,
  call,
  called,
  claimed,
  done,
  logOf,
  owner,
  replied,
  settledCall,
  steered,
} from '../support/log-entries.ts';

function print(entries: readonly LoggedEntry[]): string {
  let text = '';
  const write = (more: string): void => void (text += more);
  const style = chooseStyle({ isTerminal: false, env: {} });
  const printer = new PiecePrinter({ speech: write, notes: write, style, columns: () => undefined });
  for (const turn of transcribe(entries, 'left')) for (const piece of turn.pieces) printer.print(piece);
  return text;
}

const list = call('c1', 'ls');

test('a settled turn reads as it happened', () => {
  const log = logOf([
    admitted('what is here?'),
    claimed(),
    answered('Let me look.', [list]),
    called(list),
    steered('only the first'),
    settledCall('c1', done('a.txt\nb.txt')),
    answered('a.txt'),
    replied('a.txt'),
  ]);

  assert.equal(print(log), '› what is here?\nLet me look.\n• terminal  ls\n› only the first\n  ✓ a.txt …\na.txt\n');
});

test('a message of several lines is set off from the answer', () => {
  assert.equal(print(logOf([admitted('one\ntwo'), answered('three'), replied('three')])), '› one\n  two\nthree\n');
});

test('an unfinished turn says what was running when the program ended', () => {
  const log = logOf([admitted('wait'), claimed(), answered('', [list]), called(list)]);

  assert.equal(
    print(log),
    '› wait\n• terminal  ls\nthe program ended while this ran: terminal `ls`; what came of it is looked up, and nothing unsafe is run again\n',
  );
  assert.equal(transcribe(log, 'left')[0]?.result, undefined);
});

test('a turn that a gateway is at says what runs, and one behind it that it waits', () => {
  const running = logOf([admitted('wait'), claimed(), answered('', [list]), called(list)]);
  const behind = logOf([admitted('and then')], 'trn_2');

  const notes = transcribe([...running, ...behind], 'at-work').flatMap(({ pieces }) => pieces.slice(-1));

  assert.deepEqual(notes, [
    { type: 'note', text: 'this runs in the gateway: terminal `ls`' },
    { type: 'note', text: 'this waits for its turn in the gateway' },
  ]);
});

test('a turn that had not begun to act is said to be unfinished', () => {
  assert.equal(print(logOf([admitted('hi'), claimed()])), '› hi\nthe program ended here; this turn is unfinished\n');
});

const endings = [
  [{ type: 'interrupted', by: owner }, 'stopped'],
  [{ type: 'failed', reason: 'no money' }, 'this did not work: no money'],
  [{ type: 'parked', reason: 'too often' }, 'put aside: too often'],
  [{ type: 'replied', text: 'The steps are used up.', ending: 'out-of-budget' }, 'The steps are used up.'],
] as const;

for (const [result, line] of endings) {
  test(`a turn that ended as ${result.type} says "${line}"`, () => {
    assert.equal(print(logOf([admitted('hi'), { type: 'turn.settled', result }])), `› hi\n${line}\n`);
  });
}

test('turns stand in order of admission, each with all that belongs to it', () => {
  const first = logOf([admitted('one'), answered('1'), replied('1')], 'trn_1');
  const second = logOf([admitted('two'), answered('2'), replied('2')], 'trn_2');
  const [opening, ...rest] = first;
  const [laterOpening, ...laterRest] = second;
  assert.ok(opening && laterOpening);

  assert.equal(print([opening, laterOpening, ...rest, ...laterRest]), '› one\n1\n› two\n2\n');
});
