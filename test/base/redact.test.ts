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

test('a key is taken out of whatever was encoded in base64 with it, and no character of it is left', () => {
  const redact = createRedactor([secret]);

  for (const alphabet of ['base64', 'base64url'] as const)
    for (let before = 0; before < 6; before += 1)
      for (let after = 0; after < 4; after += 1) {
        const [head, tail] = ['u'.repeat(before), '\n'.repeat(after)];
        const encoded = Buffer.from(head + secret + tail).toString(alphabet);
        // What stands beside it stays, but for the characters that it shares with the key.
        const first = Math.floor((before * 8) / 6);
        const last = Math.ceil(((before + secret.length) * 8) / 6);
        for (const form of [encoded, encoded.replace(/=+$/, '')]) {
          const rest = after === 0 ? '' : form.slice(last);
          assert.equal(redact(`<${form}>`), `<${form.slice(0, first)}[redacted]${rest}>`);
        }
      }
});

test('hexadecimal digits of a key are taken out in both cases', () => {
  const redact = createRedactor([secret]);
  const hex = Buffer.from(`user:${secret}\n`).toString('hex');

  assert.equal(redact(hex), '757365723a[redacted]0a');
  assert.equal(redact(hex.toUpperCase()), '757365723A[redacted]0A');
});

test('text without a key comes out as it went in: code, digests, and what another key is encoded to', () => {
  const redact = createRedactor([secret, 'sixteen-or-more-characters', 'short-one']);
  const others = ['incorrect horse, battery: staple', 'correct-horse', 'sixteen-or-more-charakters'];
  const plain = [
    ...others.flatMap((text) => ['utf8', 'base64', 'base64url', 'hex'].map((form) => encode(text, form))),
    'const shared = /[A-Za-z0-9+/_-]{20,}={0,2}/g; // 0123456789abcdef',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'eyJ is where tokens begin, and Y29ycmVjdC is where this key does',
  ];

  for (const text of plain) assert.equal(redact(text), text);
});

function encode(text: string, form: string): string {
  return Buffer.from(text).toString(form as BufferEncoding);
}

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
