import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openToolBench } from '../open-toolbox.ts';

const corpus = await readFile(new URL('commands.txt', import.meta.url), 'utf8');
const labels = { safe: 'safe', ask: 'ask', refuse: 'forbidden' } as const;

interface Labelled {
  readonly label: keyof typeof labels;
  readonly command: string;
}

function readCorpus(text: string): readonly Labelled[] {
  return text.split('\n').flatMap((line) => {
    const [, label, command = ''] = /^(safe|ask|refuse) +(.*)$/.exec(line) ?? [];
    if (label === undefined) assert.match(line, /^(?:#.*)?$/, 'every line is labelled, empty or a comment');
    return label === undefined ? [] : [{ label: label as Labelled['label'], command }];
  });
}

test('every command of the corpus is decided as its label says', async () => {
  await using bench = await openToolBench({ environment: { PATH: '/usr/bin:/bin' } });
  const commands = readCorpus(corpus);
  const wrong: string[] = [];

  for (const { label, command } of commands) {
    const text = command.replaceAll('␤', '\n').replaceAll('{home}', bench.userHome).replaceAll('{talaria}', bench.home);
    const { type } = await bench.assess('terminal', { command: text });
    if (type !== labels[label]) wrong.push(`${label}, and is ${type}: ${command}`);
  }

  assert.ok(commands.length >= 400, `${commands.length} commands`);
  assert.deepEqual(wrong, []);
});

test('where CDPATH leads cd elsewhere, what follows it is asked about', async () => {
  await using bench = await openToolBench({ environment: { CDPATH: '/etc' }, envPassthrough: ['CDPATH'] });

  const moved = await bench.assess('terminal', { command: 'cd ssh && ls' });
  const stayed = await bench.assess('terminal', { command: 'ls' });

  assert.deepEqual([moved.type, stayed.type], ['ask', 'safe']);
});
