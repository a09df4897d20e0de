import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId, NodeId, PersonId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { ToolCall } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { Finish } from '../../src/model/provider.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import { foldTurn } from '../../src/model/turn-state.ts';
import type { NudgeCause, TurnEntry } from '../../src/model/turn.ts';
import { decideNext } from '../../src/turn/decide-next.ts';
import type { Next } from '../../src/turn/decide-next.ts';

const person = 'owner' as PersonId;
const call: ToolCall = { id: 'c1' as CallId, name: 'read_file', arguments: '{}' };

const admitted: TurnEntry = { type: 'turn.admitted', parts: [textPart('hi')], person };
const claimed: TurnEntry = { type: 'turn.claimed', owner: 'n' as NodeId, epoch: 1 };
const released: TurnEntry = { type: 'turn.released' };
const steered: TurnEntry = { type: 'turn.steered', parts: [textPart('and?')], person };
const asked: TurnEntry = {
  type: 'step.asked',
  runtime: 'demo:demo' as RuntimeName,
  prompt: '',
  messages: 0,
  digest: '',
};
const called: TurnEntry = { type: 'tool.called', call };
const done: TurnEntry = { type: 'tool.settled', callId: call.id, outcome: { type: 'done', parts: [] } };
const misfit: TurnEntry = {
  type: 'tool.settled',
  callId: call.id,
  outcome: { type: 'failed', message: 'no such tool' },
};
const denied: TurnEntry = { type: 'tool.settled', callId: call.id, outcome: { type: 'refused', reason: 'denied' } };

function says(text: string, finish: Finish = 'stop'): TurnEntry {
  return {
    type: 'step.finished',
    message: { role: 'assistant', parts: text === '' ? [] : [textPart(text)], calls: [] },
    finish,
    usage: noUsage,
  };
}
const calls: TurnEntry = {
  type: 'step.finished',
  message: { role: 'assistant', parts: [], calls: [call] },
  finish: 'calls',
  usage: noUsage,
};

function gaveUp(kind: 'empty' | 'cut-call'): TurnEntry {
  return { type: 'step.failed', failure: { type: 'unusable', kind }, next: { type: 'give-up' } };
}
function nudged(cause: NudgeCause): TurnEntry {
  return { type: 'turn.nudged', cause, text: 'go on' };
}

function next(...entries: readonly TurnEntry[]): Next {
  return decideNext(foldTurn([admitted, claimed, ...entries]), { maxSteps: 2 });
}
function summary(decision: Next): string {
  if (decision.type === 'settle')
    return decision.result.type === 'replied'
      ? `${decision.result.ending}: ${decision.result.text}`
      : decision.result.type;
  if (decision.type === 'nudge') return `nudge ${decision.cause}`;
  return decision.type === 'ask' ? `ask, tools ${decision.toolUse}` : decision.type;
}

const cases: readonly (readonly [string, readonly TurnEntry[], string])[] = [
  ['a new turn asks the model', [], 'ask, tools allowed'],
  ['a turn that crashed while it asked asks again', [asked, claimed], 'ask, tools allowed'],
  ['an answer settles the turn', [asked, says('hello')], 'complete: hello'],
  ['calls are run', [asked, calls], 'run-tools'],
  ['news before an answer change nothing about it', [nudged('news'), asked, says('hello')], 'complete: hello'],
  ['news behind an answer are no reason to ask', [asked, says('hello'), nudged('news')], 'complete: hello'],
  ['news do not give a failing model another chance', [asked, gaveUp('cut-call'), nudged('news')], 'failed'],
  [
    'a call that had started when the program ended is dealt with before anything else',
    [asked, calls, called, claimed],
    'run-tools',
  ],
  ['results go back to the model', [asked, calls, called, done], 'ask, tools allowed'],
  ['steering during the last answer is answered too', [asked, steered, says('hello')], 'ask, tools allowed'],
  ['steering that the request carried does not ask again', [steered, asked, says('hello')], 'complete: hello'],
  [
    'steering whose request was lost in a crash is asked about again',
    [asked, says('hello'), steered, asked, claimed],
    'ask, tools allowed',
  ],
  ['an answer cut by length is continued', [asked, says('one ', 'length')], 'nudge cut'],
  [
    'the parts of a cut answer are joined',
    [asked, says('one ', 'length'), nudged('cut'), asked, says('two')],
    'complete: one two',
  ],
  [
    'a cut answer that was finished is no beginning of what is said to a later steer',
    [asked, says('one ', 'length'), nudged('cut'), asked, says('two'), steered, asked, says('three')],
    'complete: three',
  ],
  [
    'nor is it of a later answer that is cut itself',
    [
      says('one ', 'length'),
      nudged('cut'),
      says('two'),
      steered,
      asked,
      says('three ', 'length'),
      nudged('cut'),
      asked,
      says('four'),
    ],
    'complete: three four',
  ],
  [
    'a steer that comes while a cut answer is being finished changes nothing about its beginning',
    [asked, says('one ', 'length'), nudged('cut'), steered, asked, says('two')],
    'complete: one two',
  ],
  [
    'a steer that comes before a cut answer is gone on with does not lose its beginning',
    [asked, says('one ', 'length'), steered, asked, says('two')],
    'complete: one two',
  ],
  [
    'an answer that is cut four times ends with what there is',
    [
      says('1', 'length'),
      nudged('cut'),
      says('2', 'length'),
      nudged('cut'),
      says('3', 'length'),
      nudged('cut'),
      says('4', 'length'),
    ],
    'cut-short: 1234',
  ],
  ['an answer that was all thinking is not continued', [asked, says('', 'length')], 'failed'],
  ['a withheld answer fails the turn', [asked, says('', 'filtered')], 'failed'],
  ['empty answers earn one nudge', [asked, gaveUp('empty')], 'nudge empty'],
  ['after the nudge the model is asked', [asked, gaveUp('empty'), nudged('empty')], 'ask, tools allowed'],
  [
    'empty answers after the nudge fail the turn',
    [asked, gaveUp('empty'), nudged('empty'), asked, gaveUp('empty')],
    'failed',
  ],
  ['a call that is cut again and again fails the turn', [asked, gaveUp('cut-call')], 'failed'],
  ['a used-up budget asks for a summary', [calls, called, done, calls, called, done], 'nudge budget'],
  [
    'the summary is asked for without tools',
    [calls, called, done, calls, called, done, nudged('budget')],
    'ask, tools forbidden',
  ],
  [
    'the summary settles the turn',
    [calls, called, done, calls, called, done, nudged('budget'), asked, says('so far')],
    'out-of-budget: so far',
  ],
  [
    'an answer within the last step of the budget needs no summary',
    [calls, called, done, says('hello')],
    'complete: hello',
  ],
  ['a second crash in a row parks the turn', [claimed, claimed], 'parked'],
  ['one crash in between does not', [claimed], 'ask, tools allowed'],
  ['an orderly end does not count as a crash', [released, claimed, released, claimed], 'ask, tools allowed'],
  ['however far it got in between', [claimed, asked, calls, called, done, claimed], 'parked'],
  ['an orderly end in between begins the count anew', [claimed, released, claimed, claimed], 'ask, tools allowed'],
];

for (const [title, entries, expected] of cases) {
  test(title, () => {
    assert.equal(summary(next(...entries)), expected);
  });
}

test('three steps of calls that fit no tool end the turn', () => {
  const state = foldTurn([admitted, claimed, calls, misfit, calls, misfit, calls, misfit]);

  assert.equal(summary(decideNext(state, { maxSteps: 90 })), 'failed');
});

test('a call that could start, or was refused, forgives the misfits before it', () => {
  for (const forgiving of [
    [calls, called, misfit],
    [calls, denied],
  ]) {
    const state = foldTurn([admitted, claimed, calls, misfit, calls, misfit, ...forgiving]);

    assert.equal(summary(decideNext(state, { maxSteps: 90 })), 'ask, tools allowed');
  }
});
