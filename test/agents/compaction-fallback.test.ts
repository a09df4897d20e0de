import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import { failsWith, says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const refused = failsWith(401, { error: { message: 'no such key' } });

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index % 97}`).join(' ');
}

interface Chain extends AsyncDisposable {
  readonly house: TestHouse;
  readonly primary: ModelServer;
  readonly standIn: ModelServer;
}

interface ChainOptions {
  readonly primary: { readonly window: number; readonly script: ModelScript; readonly model?: JsonObject };
  readonly standIn: { readonly window: number; readonly script: ModelScript };
}

/** A house with a primary and one stand-in, each with a window of its own. */
async function openChain({ primary, standIn }: ChainOptions): Promise<Chain> {
  await using cleanup = new AsyncDisposableStack();
  const first = cleanup.use(await startModelServer(primary.script));
  const second = cleanup.use(await startModelServer(standIn.script));
  const model = { provider: 'custom', base_url: first.baseUrl, default: 'first', context_length: primary.window };
  const fallback = { provider: 'custom', base_url: second.baseUrl, model: 'second', context_length: standIn.window };
  // The windows are measured for these tools, so that a new one does not move them.
  const platform_toolsets = { terminal: ['file', 'terminal'] };
  const settings = { model: { ...model, ...primary.model }, fallback, platform_toolsets };
  const house = cleanup.use(await openTestHouse({ script: [], settings }));
  const kept = cleanup.move();
  return { house, primary: first, standIn: second, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Who was asked what, and where the conversation was shortened, in order. */
async function pathOf({ house }: Chain): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }): readonly string[] => {
    if (entry.type === 'step.asked') return [entry.runtime];
    if (entry.type === 'step.failed') return [entry.next.type];
    return entry.type === 'context.compacted' ? [`shortened by ${entry.writtenBy}`] : [];
  });
}

function isForSummary({ body }: { readonly body: string }): boolean {
  return body.includes('You sum up the record');
}

async function talk({ house }: Chain, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await house.say(`Saying ${count}.`);
}

test('F2 after a fallback the next turn is shortened by the limits and the model of the primary', async () => {
  let isDown = true;
  await using chain = await openChain({
    primary: {
      window: 8000,
      script: (request) => (isDown ? refused : says(isForSummary(request) ? 'BY THE FIRST.' : 'primary')),
    },
    standIn: { window: 100_000, script: () => says(`stand-in ${words(800)}`) },
  });
  await talk(chain, 4);
  const whileDown = await pathOf(chain);
  isDown = false;

  const reply = await chain.house.say('And now?');

  assert.equal(reply, 'primary');
  assert.ok(
    whileDown.every((step) => !step.startsWith('shortened')),
    'the window of the stand-in is large',
  );
  assert.deepEqual((await pathOf(chain)).slice(whileDown.length), ['shortened by custom:first', 'custom:first']);
  const notices = chain.house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.match(notices.at(-1) ?? '', /: it may have 5,600 here$/);
});

/** A conversation that fits the primary and not the stand-in, told until the primary is gone for one turn. */
async function loseThePrimaryOnce(): Promise<{ readonly chain: Chain; readonly reply: string }> {
  let isDown = false;
  const chain = await openChain({
    primary: { window: 100_000, script: () => (isDown ? refused : says(`primary ${words(800)}`)) },
    standIn: {
      window: 8000,
      script: (request) => says(isForSummary(request) ? 'BY THE SECOND.' : 'stand-in'),
    },
  });
  await talk(chain, 5);
  isDown = true;
  const reply = await chain.house.say('And now?');
  isDown = false;
  return { chain, reply };
}

test('F13 the limits of the compactor follow a fallback to a smaller window', async () => {
  const { chain, reply } = await loseThePrimaryOnce();
  await using _closing = chain;

  assert.equal(reply, 'stand-in');
  const path = (await pathOf(chain)).slice(5);
  assert.deepEqual(path, ['custom:first', 'fall-back', 'shortened by custom:second', 'custom:second']);
});

test('F8 the limits of the compactor come back with the primary', async () => {
  const { chain } = await loseThePrimaryOnce();
  await using _closing = chain;
  const before = await pathOf(chain);

  await talk(chain, 10);

  const later = (await pathOf(chain)).slice(before.length);
  assert.deepEqual(new Set(later), new Set(['custom:first']));
});

function markersIn(server: ModelServer): readonly number[] {
  return server.requests.map(({ body }) => body.split('"cache_control"').length - 1);
}

test('F9 the markers of the prompt cache follow the runtime: the primary has them, the stand-in does not, and back', async () => {
  let isDown = false;
  await using chain = await openChain({
    primary: {
      window: 200_000,
      script: () => (isDown ? refused : saysAnthropic('primary')),
      model: { api_mode: 'anthropic_messages', cache_ttl: '1h' },
    },
    standIn: { window: 200_000, script: () => says('stand-in') },
  });

  const replies = [await chain.house.say('one')];
  isDown = true;
  replies.push(await chain.house.say('two'));
  isDown = false;
  replies.push(await chain.house.say('three'));

  assert.deepEqual(replies, ['primary', 'stand-in', 'primary']);
  assert.deepEqual(markersIn(chain.primary), [2, 4, 4]);
  assert.deepEqual(markersIn(chain.standIn), [0]);
  assert.match(chain.primary.requests.at(-1)?.body ?? '', /"cache_control":\{"type":"ephemeral","ttl":"1h"\}/);
});

test('a primary that cannot even write the summary has it written by the stand-in', async () => {
  let isDown = false;
  await using chain = await openChain({
    primary: { window: 8000, script: () => (isDown ? refused : says(`primary ${words(800)}`)) },
    standIn: { window: 8000, script: (request) => says(isForSummary(request) ? 'BY THE SECOND.' : 'stand-in') },
  });
  await talk(chain, 4);
  isDown = true;

  const reply = await chain.house.say('And now?');

  assert.equal(reply, 'stand-in');
  assert.deepEqual((await pathOf(chain)).slice(4), [
    'shortened by custom:second',
    'custom:first',
    'fall-back',
    'custom:second',
  ]);
});

test('where the primary writes no summary, the stand-in writes it with a key that does not rest', async () => {
  let isDown = true;
  await using primary = await startModelServer((request) =>
    isDown || isForSummary(request) ? refused : says(`primary ${words(800)}`),
  );
  await using standIn = await startModelServer((request) => {
    const isResting = request.headers['authorization'] === 'Bearer key one';
    if (isResting) return failsWith(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' });
    return says(isForSummary(request) ? 'BY THE SECOND.' : 'stand-in');
  });
  const place = { provider: 'custom', context_length: 8000 };
  await using house = await openTestHouse({
    script: [],
    env: { ONE: 'key one', TWO: 'key two' },
    settings: {
      model: { ...place, base_url: primary.baseUrl, default: 'first' },
      fallback: { ...place, base_url: standIn.baseUrl, model: 'second', key_env: ['ONE', 'TWO'] },
    },
  });
  await house.say('The first key is limited from now on.');
  isDown = false;

  for (let count = 0; count < 7; count += 1) await house.say(`Saying ${count}.`);

  const writers = standIn.requests.filter(isForSummary).map(({ headers }) => headers['authorization']);
  assert.deepEqual(new Set(writers), new Set(['Bearer key two']));
});
