import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { tidySchema } from '../../../src/tools/mcp/tidy-schema.ts';

const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['nothing at all', {}, { type: 'object', properties: {}, required: [] }],
  [
    'a choice at the top',
    { anyOf: [{ type: 'object' }], properties: { a: { type: 'string' } }, not: {}, $schema: 'x' },
    { type: 'object', properties: { a: { type: 'string' } }, required: [] },
  ],
  [
    'types that may be null',
    {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], description: 'A' },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'B' },
        c: { type: ['string', 'number'] },
      },
      required: ['a', 'gone'],
    },
    {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'A' },
        b: { type: 'integer', default: null, title: 'B' },
        c: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['a'],
    },
  ],
  [
    'objects without fields, bare words and references',
    {
      type: 'object',
      properties: { a: { type: 'object' }, b: 'string' as never, c: { $ref: '#/$defs/c', default: 1 } },
      $defs: { c: { type: ['integer', 'null'] } },
    },
    {
      type: 'object',
      properties: { a: { type: 'object', properties: {} }, b: { type: 'string' }, c: { $ref: '#/$defs/c' } },
      required: [],
      $defs: { c: { type: 'integer' } },
    },
  ],
  [
    'fields that have the names of words of the schema',
    {
      type: 'object',
      properties: { $schema: { type: 'string' }, type: { type: 'string' }, default: { type: 'string' } },
    },
    {
      type: 'object',
      properties: { $schema: { type: 'string' }, type: { type: 'string' }, default: { type: 'string' } },
      required: [],
    },
  ],
  [
    'what nobody sees',
    { type: 'object', properties: { a: { type: 'string', description: 'x\u200by\u{E0041}' } } },
    { type: 'object', properties: { a: { type: 'string', description: 'xy' } }, required: [] },
  ],
];

for (const [what, schema, tidy] of cases) {
  test(`a schema with ${what} comes to what strict vendors take`, () => {
    assert.deepEqual(tidySchema(schema), tidy);
  });
}

test('a schema without a bottom has an end', () => {
  let schema: JsonObject = { type: 'string' };
  for (let depth = 0; depth < 5000; depth += 1) schema = { type: 'object', properties: { a: schema } };

  assert.ok(JSON.stringify(tidySchema(schema)).length < 2000);
});
