import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapConsent } from '../../../src/cli/render/wrap-consent.ts';

const command = 'git push --force-with-lease origin main';

test('what a question says of a command is broken between words, and the command is not', () => {
  const question = `${command}\nin /home/you/tides, outside the sandbox\nSession and Always are for: git push --force-with-lease`;

  assert.equal(
    wrapConsent(question, 30),
    `${command}\nin /home/you/tides, outside\nthe sandbox\nSession and Always are for: git push --force-with-lease`,
  );
});

test('a question that says nothing behind what would be done stays as it is', () => {
  const question = `send to the owner:\nin a long line of words that somebody wrote\none\ntwo\nthree`;

  assert.equal(wrapConsent(question, 20), question);
  assert.equal(wrapConsent(command, 20), command);
});
