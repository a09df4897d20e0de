import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configSchema } from '../../src/model/config-schema.ts';
import {
  boolean,
  describeProblems,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../../src/model/schema.ts';
import { unknownKeys } from '../../src/model/unknown-keys.ts';

const schema = object({
  path: string('a path', { minLength: 1 }),
  limit: optional(integer('how many', { minimum: 1, maximum: 10 })),
  mode: optional(oneOf(['fast', 'slow'], 'how')),
  all: optional(boolean('all of them')),
  names: optional(list(string('a name'), 'names')),
});

test('a value that fits is taken without its unknown fields', () => {
  assert.deepEqual(schema.parse({ path: 'a', limit: 3, mode: 'slow', all: true, names: ['x'], other: 1 }), {
    type: 'valid',
    value: { path: 'a', limit: 3, mode: 'slow', all: true, names: ['x'] },
  });
});

test('numbers and truth values in quotes are understood, since models write them so', () => {
  assert.deepEqual(schema.parse({ path: 'a', limit: '3', all: 'false' }), {
    type: 'valid',
    value: { path: 'a', limit: 3, all: false },
  });
});

test('every problem is named with the way to it', () => {
  const parsed = schema.parse({ limit: 11, mode: 'medium', names: ['x', 7] });

  assert.equal(
    parsed.type === 'invalid' && describeProblems(parsed.problems),
    'path is missing; limit must be at most 10; mode must be one of fast, slow; names.1 must be text, not number 7',
  );
});

test('what is neither one item nor a list of them is told what is expected, with an example', () => {
  const parsed = configSchema.parse({ browser: { allow_private: true }, search: { allow_private: ['nas.local', 7] } });

  assert.equal(
    parsed.type === 'invalid' && describeProblems(parsed.problems),
    ['search.allow_private.1', 'browser.allow_private']
      .map((key) => `${key} must be text such as nas.local or 192.168.1.20:8080, not `)
      .map((text, index) => text + ['number 7', 'boolean true'][index])
      .join('; '),
  );
});

test('a null stands for a field that is left out', () => {
  assert.deepEqual(schema.parse({ path: 'a', limit: null }), { type: 'valid', value: { path: 'a' } });
});

test('a schema describes itself as JSON Schema', () => {
  assert.deepEqual(object({ path: string('a path'), limit: optional(integer('how many', { minimum: 1 })) }).json, {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'a path' },
      limit: { type: 'integer', description: 'how many', minimum: 1 },
    },
    required: ['path'],
  });
});

test('unknown keys are found at any depth', () => {
  const nested = object({ model: optional(object({ name: optional(string('a name')) })) });

  assert.deepEqual(unknownKeys({ model: { name: 'a', nam: 'b' }, modle: {} }, nested.json), [
    { path: ['model', 'nam'], known: ['name'] },
    { path: ['modle'], known: ['model'] },
  ]);
});

test('a number may have a fraction and stays within its limits; a number in quotes is text', () => {
  const share = number('a share', { minimum: 0.1, maximum: 0.95 });

  assert.deepEqual(share.parse(0.5), { type: 'valid', value: 0.5 });
  for (const wrong of [0.05, 0.99, '0.5', null]) assert.equal(share.parse(wrong).type, 'invalid', String(wrong));
});

test('a record checks each of its values, names the key that is wrong, and knows the keys inside them', () => {
  const prices = record(object({ input: optional(integer('a price')) }), 'prices');

  assert.deepEqual(prices.parse({ a: { input: 1 } }), { type: 'valid', value: { a: { input: 1 } } });
  assert.deepEqual(prices.parse({ a: { input: 'x' } }), {
    type: 'invalid',
    problems: [{ path: ['a', 'input'], message: 'must be a whole number, not string "x"' }],
  });
  assert.deepEqual(unknownKeys({ a: { inptu: 1 } }, prices.json), [{ path: ['a', 'inptu'], known: ['input'] }]);
});
