import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandTable, groupTable } from '../../src/cli/command-table.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { helpFor, helpTopics } from '../../src/cli/help.ts';

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
