import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signConfig } from '../../src/agents/signature.ts';
import type { SignatureParts } from '../../src/agents/signature.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { Runtime } from '../../src/model/runtime.ts';

const runtime: Runtime = {
  name: nameRuntime('custom', 'm1'),
  vendor: 'custom',
  model: 'm1',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiMode: 'chat_completions',
  credential: { type: 'key', reveal: () => 'eyJhbGciOi.one' },
  keyName: undefined,
  place: 'local',
  route: 'direct',
  window: undefined,
  cacheLife: '5m',
};
const parts: SignatureParts = {
  chain: [runtime],
  tools: [{ name: 'a', description: 'does a', parameters: { type: 'object' } }],
  toolGeneration: 1,
};

test('the same configuration gives the same signature', () => {
  assert.equal(signConfig(parts), signConfig({ ...parts, chain: [{ ...runtime }] }));
});

const changes: readonly (readonly [string, SignatureParts])[] = [
  ['another model', { ...parts, chain: [{ ...runtime, model: 'm2' }] }],
  ['another vendor', { ...parts, chain: [{ ...runtime, vendor: 'openai' }] }],
  ['another address', { ...parts, chain: [{ ...runtime, baseUrl: 'http://127.0.0.1:2/v1' }] }],
  [
    'a credential with the same beginning',
    { ...parts, chain: [{ ...runtime, credential: { type: 'key', reveal: () => 'eyJhbGciOi.two' } }] },
  ],
  ['no credential', { ...parts, chain: [{ ...runtime, credential: { type: 'none' } }] }],
  ['another tool', { ...parts, tools: [{ name: 'b', description: 'does a', parameters: { type: 'object' } }] }],
  ['a new generation of tools', { ...parts, toolGeneration: 2 }],
];

for (const [what, changed] of changes) {
  test(`${what} gives another signature`, () => {
    assert.notEqual(signConfig(changed), signConfig(parts));
  });
}

test('no credential can be read out of a signature', () => {
  assert.ok(!signConfig(parts).includes('eyJ'));
  assert.match(signConfig(parts), /^[0-9a-f]{64}$/);
});
