import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBanner } from '../../../src/cli/chat/banner.ts';
import { isLeaving, isPersonLeaving } from '../../../src/cli/chat/is-leaving.ts';
import { MessageLines } from '../../../src/cli/chat/message-lines.ts';
import { ShownReplies } from '../../../src/cli/chat/shown-replies.ts';
import { readVerdict } from '../../../src/cli/read-verdict.ts';
import { transcribe } from '../../../src/cli/render/transcript.ts';
import { admitted, logOf, replied } from '../support/log-entries.ts';

test('only a plain yes is a yes', () => {
  const answers = ['y', 'Y', 'yes', ' yes ', 'YES', '', 'n', 'no', 'yeah', 'y!', 'yes please', '/stop'];

  assert.deepEqual(
    answers.filter((answer) => readVerdict(answer) === 'approved'),
    ['y', 'Y', 'yes', ' yes ', 'YES'],
  );
});

test('only /exit and /quit are for the terminal itself', () => {
  const lines = [
    '/exit',
    '/quit',
    ' /Exit ',
    'exit',
    '/exit now',
    '/exitnow',
    '/exit\nhello',
    '/exi',
    '/stop',
    'please /exit',
  ];

  assert.deepEqual(
    lines.filter((line) => isLeaving(line)),
    ['/exit', '/quit', ' /Exit '],
  );
});

test('at a keyboard the bare words leave too, if they are all that was typed', () => {
  const lines = ['/exit', 'exit', ' Quit ', 'exit now', 'how do I exit', 'exit\nhello', '/stop', ''];

  assert.deepEqual(
    lines.filter((line) => isPersonLeaving(line)),
    ['/exit', 'exit', ' Quit '],
  );
});

test('a line that ends in a backslash goes on with the next one', () => {
  const message = new MessageLines();
  message.add('one\\');
  assert.equal(message.isContinued, true);
  message.add('two');

  assert.equal(message.isContinued, false);
  assert.equal(message.take(), 'one\ntwo');
  assert.equal(message.isEmpty, true);
});

test('a reply that a transcript has shown counts as shown once, and only until it is forgotten', () => {
  const entries = [
    ...logOf([admitted('one'), replied('Done.')], 'trn_1'),
    ...logOf([admitted('two'), replied('Done.')], 'trn_2'),
    ...logOf([admitted('three')], 'trn_3'),
  ];
  const turns = transcribe(entries, 'left');
  const shown = new ShownReplies(turns);

  assert.deepEqual(
    [shown.take('Done.'), shown.take('Other.'), shown.take('Done.'), shown.take('Done.')],
    [true, false, true, false],
  );
  const forgotten = new ShownReplies(turns);
  forgotten.forget();
  assert.equal(forgotten.take('Done.'), false);
});

test('the banner says who answers and where, and the demo says how to connect a real model', () => {
  const place = { version: '1.2.3', workdir: '/home/ann/notes', userHome: '/home/ann', home: '/home/ann/.talaria' };

  const real = renderBanner({ ...place, model: { name: 'openai:gpt', place: 'remote' } });
  const elsewhere = renderBanner({ ...place, home: '/srv/agent', model: { name: 'demo:demo', place: 'demo' } });
  const demo = renderBanner({ ...place, workdir: '/home/annabel', model: { name: 'demo:demo', place: 'demo' } });

  assert.equal(real[0], 'Talaria 1.2.3 · openai:gpt · ~/notes');
  assert.equal(real.length, 2);
  assert.match(elsewhere[2] ?? '', /in \/srv\/agent\/\.env/);
  assert.equal(demo[0], 'Talaria 1.2.3 · offline demo · /home/annabel');
  assert.match(
    demo[2] ?? '',
    /demo.* set OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY or another key \(.*in ~\/\.talaria\/\.env/,
  );
});
