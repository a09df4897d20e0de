import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBustingKeys, extractCacheKeys, generationKey } from '../../src/agents/cache-keys.ts';
import { signConfig } from '../../src/agents/signature.ts';
import type { SignatureParts } from '../../src/agents/signature.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Runtime } from '../../src/model/runtime.ts';
import { runtimeAt } from './agent-bench.ts';
import { openCacheBench } from './cache-bench.ts';
import type { CacheBench } from './cache-bench.ts';

// Two tokens of one issuer are the same up to their signatures, hundreds of characters in.
const sharedPrefix = `eyJhbGciOiJSUzI1NiJ9.${'c3ViamVjdCBhbmQgc2NvcGVz'.repeat(20)}.`;
const runtime: Runtime = {
  ...runtimeAt('http://127.0.0.1:1/v1', 'm1'),
  credential: { type: 'key', reveal: () => `${sharedPrefix}one` },
};
const parts: SignatureParts = {
  chain: [runtime],
  toolsets: ['file', 'terminal'],
  tools: [
    { name: 'a', description: 'does a', parameters: { type: 'object', required: [] } },
    { name: 'b', description: 'does b', parameters: { type: 'object' } },
  ],
  ephemeralPrompt: 'Be brief.',
  trustedFolders: ['/code', '/code/project'],
  cacheKeys: extractCacheKeys({ compression: { threshold: 0.5 } }, 1),
};

function withRuntime(changes: Partial<Runtime>): SignatureParts {
  return { ...parts, chain: [{ ...runtime, ...changes }] };
}

function withUser(user: Json, generation = 1): SignatureParts {
  return { ...parts, cacheKeys: extractCacheKeys(user, generation) };
}

/** Settings in which one documented key has a value. */
function userWith(path: string, value: Json): JsonObject {
  const [section = '', key = ''] = path.split('.');
  return { [section]: { [key]: value } };
}

const nothing: Readonly<Record<string, Json>> = Object.fromEntries(cacheBustingKeys.map((path) => [path, null]));

test('S1 the same model, runtime, toolsets and ephemeral prompt give the same signature', () => {
  const same = signConfig({
    ...parts,
    chain: [{ ...runtime, credential: { type: 'key', reveal: () => `${sharedPrefix}one` } }],
  });

  assert.equal(same, signConfig(parts));
  assert.match(same, /^[0-9a-f]{64}$/);
});

function assertDiffers(changed: SignatureParts): void {
  assert.notEqual(signConfig(changed), signConfig(parts));
}

test('S2 another model gives another signature', () => {
  assertDiffers(withRuntime({ model: 'm2' }));
});

test('S3 two credentials that share a prefix give different signatures; none is another one, and those of stand-ins count', () => {
  assertDiffers(withRuntime({ credential: { type: 'key', reveal: () => `${sharedPrefix}two` } }));
  assertDiffers(withRuntime({ credential: { type: 'none' } }));
  assertDiffers({ ...parts, chain: [runtime, { ...runtime, keyName: 'SECOND' }] });
});

test('S4 another provider gives another signature, and so does another base URL or API mode alone', () => {
  assertDiffers(withRuntime({ vendor: 'openai' }));
  assertDiffers(withRuntime({ baseUrl: 'http://127.0.0.1:2/v1' }));
  assertDiffers(withRuntime({ apiMode: 'anthropic_messages' }));
});

test('S5 another toolset selection gives another signature', () => {
  assertDiffers({ ...parts, toolsets: ['file'] });
});

test('a folder that is trusted, or no longer is, gives another signature; the order of folders does not', () => {
  assertDiffers({ ...parts, trustedFolders: ['/code'] });
  assertDiffers({ ...parts, trustedFolders: [] });
  assert.equal(signConfig({ ...parts, trustedFolders: ['/code/project', '/code'] }), signConfig(parts));
});

test('S8 changing model.context_length changes the signature', () => {
  assertDiffers(withUser({ model: { context_length: 8192 } }));
});

test('S9 changing compression.threshold changes the signature', () => {
  assertDiffers(withUser({ compression: { threshold: 0.75 } }));
});

test('S12 a new generation of the tools changes the signature', () => {
  assertDiffers(withUser({ compression: { threshold: 0.5 } }, 2));
});

test('S20 another ephemeral prompt gives another signature', () => {
  assertDiffers({ ...parts, ephemeralPrompt: 'Be long.' });
});

test('another window of the model or another description of a tool gives another signature', () => {
  assertDiffers(withRuntime({ window: 4096 }));
  assertDiffers({ ...parts, tools: [] });
});

test('S3 no credential can be read out of a signature, nor guessed from a part of it', () => {
  const signature = signConfig(parts);

  assert.ok(!signature.includes('eyJ') && !Buffer.from(signature, 'hex').toString('latin1').includes('eyJ'));
});

test('S5 the order of the same toolsets says nothing', () => {
  const turned = { ...parts, toolsets: parts.toolsets.toReversed(), tools: parts.tools.toReversed() };

  assert.equal(signConfig(turned), signConfig(parts));
});

test('S7 no extra cache keys, an empty set and null are the same', () => {
  const { cacheKeys: _, ...without } = parts;

  assert.equal(signConfig({ ...parts, cacheKeys: {} }), signConfig(without));
  assert.equal(signConfig({ ...parts, cacheKeys: null }), signConfig(without));
  assert.notEqual(signConfig(parts), signConfig(without));
});

test('S10 toggling compression.enabled changes the signature', () => {
  const [on, off] = [true, false].map((enabled) => signConfig(withUser({ compression: { enabled } })));

  assert.notEqual(on, off);
});

test('S11 the order of keys never matters', () => {
  const left = { model: { context_length: 1, default: 'm' }, compression: { enabled: true, threshold: 0.5 } };
  const right = { compression: { threshold: 0.5, enabled: true }, model: { default: 'm', context_length: 1 } };
  const turnedKeys = Object.fromEntries(Object.entries(parts.cacheKeys ?? {}).toReversed());

  assert.equal(signConfig(withUser(left)), signConfig(withUser(right)));
  assert.equal(signConfig({ ...parts, cacheKeys: turnedKeys }), signConfig(parts));
});

test('S13 the extract reads model.context_length', () => {
  const extract = extractCacheKeys({ model: { context_length: 200_000 } }, 1);

  assert.deepEqual(extract, { ...nothing, 'model.context_length': 200_000, [generationKey]: 1 });
});

test('S14 the extract reads the keys of compression as they are, and no undocumented one', () => {
  const compression = { enabled: false, threshold: '0.5', target_ratio: 0, protect_last_n: [4], speed: 'fast' };

  assert.deepEqual(extractCacheKeys({ compression, model: { default: 'm', temperature: 1 }, other: 1 }, 1), {
    ...nothing,
    'compression.enabled': false,
    'compression.threshold': '0.5',
    'compression.target_ratio': 0,
    'compression.protect_last_n': [4],
    [generationKey]: 1,
  });
});

for (const path of cacheBustingKeys) {
  test(`S15 ${path} is null in the extract while it is absent, and a value for it changes the signature`, () => {
    const written = userWith(path, 4);

    assert.equal(extractCacheKeys({}, 1)[path], null);
    assert.equal(extractCacheKeys(written, 1)[path], 4);
    assert.notEqual(signConfig(withUser(written)), signConfig(withUser({})));
  });
}

test('S16 a section that is not a mapping counts as missing, and the others are still read', () => {
  for (const odd of ['yes', 1, true, null, [{ threshold: 0.5 }]]) {
    const extract = extractCacheKeys({ compression: odd, model: { context_length: 5 } }, 1);

    assert.deepEqual(extract, { ...nothing, 'model.context_length': 5, [generationKey]: 1 });
  }
});

test('S17 with no settings at all every documented key is null, and the generation is still there', () => {
  for (const none of [null, '', [], 7, {}]) {
    assert.deepEqual(extractCacheKeys(none, 3), { ...nothing, [generationKey]: 3 });
  }
});

test('S18 the extract carries the live generation: agents that were built before are built anew', async () => {
  await using bench = await openCacheBench();
  const first = await bench.say('a');

  bench.generation += 1;
  const second = await bench.say('a');

  assert.notEqual(second, first);
  assert.equal(await bench.say('a'), second);
});

for (const [what, change] of [
  ['model', (bench: CacheBench) => bench.session('a', 'another')],
  ['provider', (bench: CacheBench) => void (bench.vendor = 'openai')],
  ['toolsets', (bench: CacheBench) => bench.configure({ agent: { disabled_toolsets: ['file'] } })],
  ['ephemeral prompt', (bench: CacheBench) => bench.configure({ agent: { system_prompt: 'Rhyme.' } })],
] as const) {
  test(`L2 a change of the ${what} between two messages is a miss: a new agent is built`, async () => {
    await using bench = await openCacheBench();
    const first = await bench.say('a');

    await change(bench);
    const second = await bench.say('a');

    assert.notEqual(second, first);
    assert.deepEqual(
      bench.notes.filter((note) => note.startsWith('build')),
      ['build a', 'build a'],
    );
  });
}

test('a toolset that is turned off is neither offered nor run, and what the settings add ends the system prompt', async () => {
  await using bench = await openCacheBench();
  bench.configure({ agent: { disabled_toolsets: ['file'], system_prompt: 'Rhyme.' } });

  await bench.say('a');

  const body = bench.server.requests[0]?.json;
  assert.ok(toolNames(body).includes('terminal'));
  assert.deepEqual(
    toolNames(body).filter((name) => /^(?:read_file|write_file|patch|search_files)$/.test(String(name))),
    [],
  );
  assert.match(JSON.stringify(body?.['messages']), /Rhyme\."/);
});

function toolNames(body: JsonObject | undefined): readonly unknown[] {
  const tools = body?.['tools'] as readonly { readonly function: { readonly name: string } }[];
  return tools.map((tool) => tool.function.name);
}
