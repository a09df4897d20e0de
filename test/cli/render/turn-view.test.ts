import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markForeign } from '../../../src/base/foreign-text.ts';
import type { TurnId } from '../../../src/base/ids.ts';
import { blankView, missingOf, showEvent } from '../../../src/cli/render/turn-view.ts';
import type { Piece, TurnView } from '../../../src/cli/render/turn-view.ts';
import type { StepEvent, TurnEntry } from '../../../src/model/turn.ts';
import { textPart } from '../../../src/model/message.ts';
import type { ToolOutcome } from '../../../src/model/message.ts';
import {
  answered,
  call,
  called,
  claimed,
  done,
  entryEvent,
  replied,
  settledCall,
  steered,
} from '../support/log-entries.ts';

const plan = { ...call('c5', ''), name: 'todo', arguments: '{}' };
const ask = { ...call('c6', ''), name: 'clarify', arguments: '{"question":"Which one?"}' };

type Happening = TurnEntry | Exclude<StepEvent, { type: 'entry' }>;

function show(happenings: readonly Happening[]): { readonly view: TurnView; readonly texts: readonly string[] } {
  let view = blankView;
  const texts: string[] = [];
  for (const happening of happenings) {
    const shown = showEvent(view, isEntry(happening) ? entryEvent(happening) : happening);
    view = shown.view;
    texts.push(...shown.pieces.map(asText));
  }
  return { view, texts };
}

function isEntry(happening: Happening): happening is TurnEntry {
  return /^(turn|step|approval|context)\.|^tool\.(called|settled)$/.test(happening.type);
}

function asText(piece: Piece): string {
  if (piece.type === 'thinking' || piece.type === 'diff') return piece.type;
  return piece.type === 'speech.ended' ? `end of ${piece.purpose}: ${piece.text}` : `${piece.type}: ${piece.text}`;
}

const says = (text: string): Happening => ({ type: 'text.delta', text });
const list = call('c1', 'ls');
const date = call('c2', 'date');
const read = { ...call('c3', ''), name: 'read_file', arguments: '{"path":"log.txt"}' };

const cases: readonly { what: string; events: readonly Happening[]; shown: readonly string[] }[] = [
  {
    what: 'an answer is shown as it comes, and not again when it is complete',
    events: [claimed(), says('Hel'), says('lo.'), answered('Hello.'), replied('Hello.')],
    shown: ['speech: Hel', 'speech: lo.', 'end of answer: Hello.'],
  },
  {
    what: 'an answer that was not streamed is shown whole',
    events: [answered('Hello.')],
    shown: ['speech: Hello.', 'end of answer: Hello.'],
  },
  {
    what: 'what is said before a call is an aside, the call stands on its own, and its outcome below it',
    events: [says('Look:'), answered('Look:', [list]), called(list), settledCall('c1', done('a.txt\nb.txt'))],
    shown: ['speech: Look:', 'end of aside: Look:', 'call: terminal  ls', 'outcome: ✓ a.txt …'],
  },
  {
    what: 'outcomes of calls that ran side by side say which call they are of',
    events: [
      answered('', [list, date]),
      called(list),
      called(date),
      settledCall('c1', done('a.txt')),
      settledCall('c2', done('today')),
    ],
    shown: [
      'call: terminal  ls',
      'call: terminal  date',
      'outcome: ✓ terminal  ls: a.txt',
      'outcome: ✓ terminal  date: today',
    ],
  },
  ...(
    [
      ['[exit code 1]', '✗ [exit code 1]'],
      ['no such file\n[exit code 2: bad usage]', '✗ no such file …'],
      ['[timed out after 5 s]\n[exit code 124]', '✗ [timed out after 5 s] …'],
      ['half\n[stopped by the user, exit code 130]', '✗ half …'],
      ['[exit code 1]\nis what it printed', '✓ [exit code 1] …'],
      ['said [exit code 1]', '✓ said [exit code 1]'],
    ] as const
  ).map(([text, outcome]) => ({
    what: `a command that came to ${JSON.stringify(text)} is shown as ${outcome}`,
    events: [answered('', [list]), called(list), settledCall('c1', done(text))],
    shown: ['call: terminal  ls', `outcome: ${outcome}`],
  })),
  ...(['stopped', 'put-aside'] as const).map((ended) => ({
    what: `a command that was ${ended} is a failure, whatever its text ends with`,
    events: [
      answered('', [list]),
      called(list),
      settledCall('c1', { type: 'done', parts: [textPart('half\n[a note]')], ended }),
    ],
    shown: ['call: terminal  ls', 'outcome: ✗ half …'],
  })),
  {
    what: 'what a file says about exit codes is no failure',
    events: [answered('', [read]), called(read), settledCall('c3', done('[exit code 1]'))],
    shown: ['call: read_file  log.txt', 'outcome: ✓ [exit code 1]'],
  },
  {
    what: 'what strangers wrote is shown without the marks that are there for the model',
    events: [
      answered('', [read]),
      called(read),
      settledCall('c3', done(markForeign('a title\nand more', 'https://example.com/', 'key'))),
      settledCall('c4', { type: 'failed', message: markForeign('no such tool', 'MCP server notes', 'key') }),
    ],
    shown: ['call: read_file  log.txt', 'outcome: ✓ a title …', 'outcome: ✗ no such tool'],
  },
  {
    what: 'of a list of tasks the outcome says how far it is',
    events: [answered('', [plan]), called(plan), settledCall('c5', done('[x] 1: dig\n[ ] 2: sow\n1 of 2 done'))],
    shown: ['call: todo  read', 'outcome: ✓ 1 of 2 done'],
  },
  {
    what: 'a question of the model is told from what it does',
    events: [answered('', [ask]), called(ask), settledCall('c6', done('The user answers: blue'))],
    shown: ['asking: clarify  Which one?', 'outcome: ✓ The user answers: blue'],
  },
  {
    what: 'a call that was refused before it began is shown with what it would have run',
    events: [
      answered('', [list]),
      settledCall('c1', { type: 'refused', reason: 'the user did not allow this. Do not retry' }),
    ],
    shown: ['outcome: ✗ refused: terminal  ls: the user did not allow this'],
  },
  {
    what: 'a broken answer is marked, and the next try is shown from its beginning',
    events: [
      says('Hel'),
      { type: 'step.failed', failure: { type: 'protocol', message: 'cut' }, next: { type: 'retry' } },
      says('Hello.'),
      answered('Hello.'),
    ],
    shown: [
      'speech: Hel',
      'note: the answer broke off; what came of it does not count',
      'speech: Hello.',
      'end of answer: Hello.',
    ],
  },
  {
    what: 'thinking is mentioned once a step and never shown',
    events: [{ type: 'reasoning.delta', text: 'secret' }, { type: 'reasoning.delta', text: 'thoughts' }, says('Hi.')],
    shown: ['thinking', 'speech: Hi.'],
  },
  {
    what: 'a second start of the same turn is mentioned',
    events: [claimed(), claimed()],
    shown: ['note: going on where the program had ended'],
  },
  {
    what: 'what a turn did to the conversation is left to its reply, where it was about that',
    events: [claimed(), { type: 'context.undone', turn: 'trn_0' as TurnId }, replied('Taken back: “hi”.')],
    shown: [],
  },
  {
    what: 'what was done to the conversation on the way is told before what comes next',
    events: [claimed(), { type: 'context.undone', turn: 'trn_0' as TurnId }, answered('Again.'), replied('Again.')],
    shown: [
      'note: the last turn was taken back: the model no longer reads it',
      'speech: Again.',
      'end of answer: Again.',
    ],
  },
  {
    what: 'a call that was not asked about is said to be allowed by what allowed it, and silence allows nothing',
    events: (['yolo', 'session', 'always', 'timeout'] as const).map((rule) => ({
      type: 'approval.answered',
      callId: list.id,
      digest: 'd',
      verdict: rule === 'timeout' ? 'denied' : 'approved',
      by: null,
      rule,
    })),
    shown: [
      'note: allowed without asking: /yolo is on',
      'note: allowed by your earlier word (session)',
      'note: allowed by your earlier word (always)',
    ],
  },
  {
    what: 'notices are shown',
    events: [{ type: 'notice', text: 'trying again in 2 s' }],
    shown: ['note: trying again in 2 s'],
  },
];

for (const { what, events, shown } of cases) {
  test(what, () => {
    assert.deepEqual(show(events).texts, shown);
  });
}

const outcomes: readonly (readonly [ToolOutcome, string])[] = [
  [done(''), '✓'],
  [{ type: 'failed', message: 'no such file\nat all' }, '✗ no such file …'],
  [{ type: 'interrupted' }, '✗ stopped'],
  [
    { type: 'unknown', lastSeen: 'terminal had started' },
    '? the program ended while this ran; whether it took effect is unknown, and it was not run again',
  ],
];

for (const [outcome, text] of outcomes) {
  test(`an outcome that is ${outcome.type} is shown as "${text}"`, () => {
    assert.deepEqual(
      show([answered('', [list]), called(list), settledCall('c1', outcome)]).texts.at(-1),
      outcome.type === 'unknown' ? `note:   ${text}` : `outcome: ${text}`,
    );
  });
}

const replies: readonly (readonly [string, readonly Happening[], string, string])[] = [
  ['nothing', [says('Hello.'), answered('Hello.')], 'Hello.', ''],
  ['all', [], 'Hello.', 'Hello.'],
  ['all', [says('Hel')], 'Hello.', 'Hello.'],
  ['nothing', [answered('one ', [], 'length'), answered('two')], 'one two', ''],
  ['nothing', [answered('Apples.'), steered('and plums'), answered('Plums.')], 'Plums.', ''],
  ['the end', [answered('one ')], 'one two', 'two'],
  ['all', [answered('Look:', [list]), called(list), settledCall('c1', done('x'))], 'Done.', 'Done.'],
  ['all', [answered('first')], 'something else', 'something else'],
];

for (const [what, events, reply, missing] of replies) {
  test(`of the reply "${reply}" after ${events.length} events ${what} is missing on the screen`, () => {
    assert.equal(missingOf(reply, show(events).view), missing);
  });
}

test('an answer that was under way before anyone looked is shown once, when it is whole', () => {
  let view: TurnView = { ...blankView, isLate: true };
  const texts = [says('three '), says('four'), answered('one two three four')].flatMap((happening) => {
    const shown = showEvent(view, isEntry(happening) ? entryEvent(happening) : happening);
    view = shown.view;
    return shown.pieces.map(asText);
  });

  assert.deepEqual(texts, ['speech: one two three four', 'end of answer: one two three four']);
  assert.deepEqual(showEvent(view, { type: 'text.delta', text: 'Next.' }).pieces, [{ type: 'speech', text: 'Next.' }]);
});

test('a failure is shown with what would mend it, and has the room for that', () => {
  const message = `127.0.0.1 is not on the public internet${', and so on'.repeat(8)}, unless browser.allow_private names it`;
  const { pieces } = showEvent(blankView, entryEvent(settledCall('c1', { type: 'failed', message })));

  assert.deepEqual(pieces, [{ type: 'outcome', text: `✗ ${message}`, room: 'few-rows' }]);
});
