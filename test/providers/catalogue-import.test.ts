import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import type { RuntimeName } from '../../src/model/runtime.ts';
import { createCatalogue } from '../../src/providers/catalogue.ts';

const model = 'anthropic:claude-opus-5-5' as RuntimeName;

/** Makes the loading of a module fail, as it does where its file cannot be read, for as long as this is held. */
function lock(part: string): Disposable {
  const hooks = registerHooks({
    load(url, context, next) {
      if (url.includes(part)) throw new Error(`${part} cannot be read`);
      return next(url, context);
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

test('a catalogue that could not be loaded is tried again with the next question, and then answers', async () => {
  const catalogue = createCatalogue({ prices: {}, cacheLife: '5m', folder: '/nonexistent', warn: assert.fail });

  for (const part of ['catalogue-lookup', '@pydantic/genai-prices']) {
    using _locked = lock(part);
    await assert.rejects(catalogue.window(model), new RegExp(`${part} cannot be read`));
  }

  assert.equal(await catalogue.window(model), 1_000_000);
});
