import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandTable, groupTable } from '../../src/cli/command-table.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { openDesk } from './support/program.ts';
import { noTerminal, openTerminal } from './support/tmux-terminal.ts';
import { helpAt, helpFor, helpTopics } from '../../src/cli/help.ts';

for (const topic of ['', ...helpTopics]) {
  test(`the help on "${topic}" fits a terminal of 120 columns and ends its last line`, () => {
    const lines = (helpFor(topic) ?? '').split('\n');

    assert.equal(lines.at(-1), '');
    assert.ok(lines.length > 2);
    assert.deepEqual(
      lines.filter((line) => line.length > 120),
      [],
    );
  });
}

// Written out, so that the compiler asks for an entry that is added to the log.
const entries: Readonly<Record<TurnEntry['type'], true>> = {
  'turn.admitted': true,
  'turn.claimed': true,
  'turn.released': true,
  'turn.announced': true,
  'turn.steered': true,
  'turn.nudged': true,
  'step.asked': true,
  'step.finished': true,
  'step.failed': true,
  'limit.reached': true,
  'compaction.asked': true,
  'context.compacted': true,
  'context.restored': true,
  'context.undone': true,
  'approval.asked': true,
  'approval.answered': true,
  'question.answered': true,
  'tool.called': true,
  'tool.settled': true,
  'turn.settled': true,
};

test('the help for scripts names every entry that the log can have', () => {
  const named = new Set(helpFor('json')?.match(/(?<=")[a-z]+\.[a-z]+(?=")/g));

  assert.deepEqual(named, new Set(Object.keys(entries)));
});

for (const columns of [50, 110]) {
  test(`at ${columns} columns every line of the help fits, and no word of it is broken or lost`, () => {
    for (const topic of ['', ...helpTopics.filter((each) => each !== 'json')]) {
      const text = helpAt(topic, columns) ?? '';
      const tooLong = text.split('\n').filter((line) => line.length > columns && line.trim().includes(' '));

      assert.deepEqual(tooLong, []);
      assert.equal(squeeze(text), squeeze(helpFor(topic) ?? ''));
    }
  });
}

test('at a known width a sentence of the help is broken where the screen ends, and only there', () => {
  assert.match(helpAt('gateway', 100) ?? '', /[^\n] at the next start\./);
  assert.equal(helpAt('gateway', undefined), helpFor('gateway'));
});

test('talaria help and --help are laid out for the terminal that they are shown in', { skip: noTerminal }, async () => {
  await using desk = await openDesk([]);

  for (const args of [
    ['processes', '--help'],
    ['help', 'processes'],
  ]) {
    await using terminal = openTerminal(desk, args, { columns: 50 });
    const screen = await terminal.shows(/\[ended with 0\]/);
    assert.match(screen, / {2}processes list {6}the background processes of\n {22}all sessions: those that\n/);
  }
});

function squeeze(text: string): string {
  return text.replaceAll(/(?<=\|)\s+|(?<=\w)-\n/g, '').replaceAll(/\s+/g, ' ');
}

for (const row of commandTable) {
  test(`the help on "${row.name}" names each of its options`, () => {
    const text = helpFor(row.name) ?? '';

    for (const { name, summary } of row.options) assert.match(text, new RegExp(`--${name}.*${escape(summary)}`));
  });
}

test('the help on a group tells the options of the command that its bare name stands for', () => {
  for (const { name, defaultVerb } of groupTable) {
    const usual = commandTable.find((row) => row.name === `${name} ${defaultVerb}`);
    const text = helpFor(name) ?? '';

    for (const option of usual?.options ?? [])
      assert.match(text, new RegExp(`--${option.name}.*${escape(option.summary)}`));
  }
  assert.match(helpFor('usage') ?? '', /--since DATE/);
});

test('a sentence of the help on the gateway that goes on in the next line is not split by an empty one', () => {
  assert.match(helpFor('gateway') ?? '', /goes on\nat the next start\./);
});

test('the first help names every command', () => {
  const text = helpFor('') ?? '';

  for (const { name } of commandTable) for (const word of name.split(' ')) assert.ok(text.includes(word), word);
});

test('the help on run and on exit codes lists every code that the program can end with', () => {
  for (const topic of ['run', 'exit-codes']) {
    const text = helpFor(topic) ?? '';
    for (const code of Object.values(exitCodes)) assert.match(text, new RegExp(`^  ${code} `, 'm'));
  }
});

test('another name of a command has the same help', () => {
  assert.equal(helpFor('sessions rm'), helpFor('sessions delete'));
  assert.equal(helpFor('sessions nonsense'), undefined);
});

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
