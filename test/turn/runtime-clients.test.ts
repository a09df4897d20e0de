import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { Runtime, RuntimeChain } from '../../src/model/runtime.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { vendors } from '../../src/providers/vendors.ts';
import { RuntimeClients } from '../../src/turn/runtime-clients.ts';

function runtime(model: string, keyName?: string): Runtime {
  return {
    name: nameRuntime('custom', model),
    vendor: 'custom',
    model,
    baseUrl: 'http://127.0.0.1:9/v1',
    apiMode: 'chat_completions',
    credential: { type: 'none' },
    keyName,
    place: 'local',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
  };
}

/** Clients of a chain, of two if nothing else is said, whose building and closing is noted, and whose building can be made to fail. */
function openClients(chain: RuntimeChain = [runtime('first'), runtime('second')]): {
  clients: RuntimeClients;
  notes: string[];
  broken: Set<string>;
} {
  const notes: string[] = [];
  const broken = new Set<string>();
  const connect = async ({ model, ...rest }: Runtime): Promise<Provider> => {
    if (broken.has(model)) throw new Error(`the key of ${model} cannot be read`);
    const provider = await connectRuntime({ model, ...rest });
    notes.push(`build ${model}`);
    return {
      ...provider,
      close: () => {
        notes.push(`close ${model}`);
        return provider.close();
      },
    };
  };
  return { clients: new RuntimeClients(chain, connect), notes, broken };
}

test('F5 a turn that starts with no fallback active rebuilds nothing', async () => {
  const { clients, notes } = openClients();
  await clients.at(0);

  const restored = await clients.restorePrimary();
  await clients.at(0);

  assert.deepEqual(restored, { type: 'nothing-to-restore' });
  assert.deepEqual(notes, ['build first']);
});

test('F5 another key of the primary is no fallback: its client stays', async () => {
  const { clients, notes } = openClients([runtime('first', 'KEY'), runtime('first', 'KEY_2'), runtime('second')]);
  await clients.at(1);

  const restored = await clients.restorePrimary();

  assert.deepEqual(restored, { type: 'nothing-to-restore' });
  assert.deepEqual(notes, ['build first']);
});

test('F6 restoring lets go of the fallback, leaves the primary ready and says so', async () => {
  const { clients, notes } = openClients();
  await clients.at(0);
  await clients.at(1);

  const restored = await clients.restorePrimary();

  assert.deepEqual(restored, { type: 'restored' });
  assert.deepEqual(notes, ['build first', 'build second', 'close second']);
  assert.deepEqual(await clients.restorePrimary(), { type: 'nothing-to-restore' });
});

test('F10 a primary that cannot be built is reported and throws nothing', async () => {
  const { clients, broken } = openClients();
  broken.add('first');
  await clients.at(1);

  assert.deepEqual(await clients.restorePrimary(), { type: 'failed', reason: 'the key of first cannot be read' });
});

test('T7 the old client is closed before the new one is built', async () => {
  const { clients, notes } = openClients();
  await clients.at(0);

  const rebuilt = await clients.rebuild(0);

  assert.deepEqual(rebuilt, { type: 'rebuilt' });
  assert.deepEqual(notes, ['build first', 'close first', 'build first']);
});

test('a client whose building fails late does not take the one that was built meanwhile with it', async () => {
  const slow = Promise.withResolvers<Provider>();
  const built = await connectRuntime(runtime('first'));
  const answers = [slow.promise, Promise.resolve(built)];
  const clients = new RuntimeClients([runtime('first')], () => answers.shift() ?? assert.fail('built a third time'));
  const first = clients.at(0);
  const rebuilding = clients.rebuild(0);
  const second = clients.at(0);

  slow.reject(new Error('too late'));

  await assert.rejects(first, /too late/);
  await rebuilding;
  assert.deepEqual([await second, await clients.at(0)], [built, built]);
});

test('T8 a rebuild that fails is reported and throws nothing', async () => {
  const { clients, broken } = openClients();
  await clients.at(0);
  broken.add('first');

  assert.deepEqual(await clients.rebuild(0), { type: 'failed', reason: 'the key of first cannot be read' });
});

test('T5 every vendor but the aggregators is reached directly', () => {
  const aggregators = vendors.filter(({ route }) => route === 'aggregator').map(({ name }) => name);

  assert.deepEqual(aggregators, ['openrouter', 'nous', 'huggingface']);
});
