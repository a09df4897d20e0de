import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteForShell } from '../../../src/base/quote-for-shell.ts';
import type { FindingGroup } from '../../../src/cli/doctor/finding.ts';
import { renderFindings } from '../../../src/cli/doctor/render-findings.ts';
import { chooseStyle } from '../../../src/cli/render/style.ts';

const plain = chooseStyle({ isTerminal: true, env: { NO_COLOR: '1' } });
const command = `chmod 0600 /a/path/that/is/quite/long/and/goes/on/and/on/so/that/it/fits/nowhere/.env`;

const groups: readonly FindingGroup[] = [
  {
    name: 'home',
    findings: [
      { level: 'fine', name: 'folder', text: '/home/anna/.talaria' },
      {
        level: 'hint',
        name: '.env',
        text: 'open to other users (0644); the next start closes it (0600), which is what it should be',
        fix: command,
      },
    ],
  },
  { name: 'mcp', findings: [{ level: 'broken', name: 'a-rather-long-name', text: 'it is \u001b[31mnot there' }] },
];

test('findings stand in columns, fit 80 of them, and keep their commands whole', () => {
  assert.equal(
    renderFindings(groups, plain, 80),
    `home
  ok      folder       /home/anna/.talaria
  hint    .env         open to other users (0644); the next start closes it
                       (0600), which is what it should be
                       run: ${command}

mcp
  BROKEN  a-rather-long-name
                       it is \u241b[31mnot there

1 thing is broken; 1 hint.
`,
  );
});

test('a terminal with colours is shown the same words', () => {
  const colourful = renderFindings(groups, chooseStyle({ isTerminal: true, env: {} }), 80);

  assert.notEqual(colourful, renderFindings(groups, plain, 80));
  // oxlint-disable-next-line no-control-regex
  assert.equal(colourful.replaceAll(/\u001b\[\d+m/g, ''), renderFindings(groups, plain, 80));
});

test('what is in order is said in one line', () => {
  assert.match(renderFindings([{ name: 'home', findings: [] }], plain, 80), /\nEverything is in order\.\n$/);
});

test('a word that a shell would take apart is quoted', () => {
  assert.equal(quoteForShell('/a/b-c_d.e'), '/a/b-c_d.e');
  assert.equal(quoteForShell("it's here"), String.raw`'it'\''s here'`);
});
