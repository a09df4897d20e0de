import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/base/log.ts';
import { createRedactor } from '../../src/base/redact.ts';

const secret = 'correct-horse/battery+staple';

test('a known secret is taken out in every usual encoding', () => {
  const redact = createRedactor([secret]);
  const forms = [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ];

  for (const form of forms) assert.equal(redact(`before ${form} after`), 'before [redacted] after');
});

test('what is shaped like a credential is taken out even if nobody knew it', () => {
  const redact = createRedactor([]);

  assert.equal(redact('key sk-abcdefghijklmnopqrstuv'), 'key [redacted]');
  assert.equal(redact('Authorization: Bearer abcdefghijklmnop'), 'Authorization: Bearer [redacted]');
});

test('ordinary text is left alone, and short values are not secrets', () => {
  const redact = createRedactor(['abc', '']);

  assert.equal(redact('abc and skating at 10:30'), 'abc and skating at 10:30');
});

test('a log line carries no secret in its message or its fields', () => {
  const lines: string[] = [];
  const log = createLog(
    (line) => lines.push(line),
    () => 0,
    createRedactor([secret]),
  );

  log.write('warn', `sent ${secret}`, { header: secret });

  assert.equal(
    lines[0],
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"sent [redacted]","header":"[redacted]"}',
  );
});
