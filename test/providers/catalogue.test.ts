import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import type { Catalogue } from '../../src/model/catalogue.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { Usage } from '../../src/model/provider.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import { createCatalogue } from '../../src/providers/catalogue.ts';
import type { CatalogueOptions } from '../../src/providers/catalogue-lookup.ts';
import { fetchedPricesFile, readPackageVersion } from '../../src/providers/catalogue-data.ts';
import { downloadText, refreshCatalogue } from '../../src/providers/catalogue-refresh.ts';
import type { Refresh } from '../../src/providers/catalogue-refresh.ts';
import { vendors } from '../../src/providers/vendors.ts';
import { writeAtomically } from '../../src/store/home/write-atomically.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const noon = Date.UTC(2026, 10, 1, 12);
const million = 1_000_000;

function open(options: Partial<CatalogueOptions> = {}): Catalogue {
  return createCatalogue({
    prices: {},
    cacheLife: '5m',
    folder: '/nonexistent',
    warn: (problem) => assert.fail(problem),
    ...options,
  });
}

function named(name: string): RuntimeName {
  return name as RuntimeName;
}

function tokens(counts: Partial<Usage>): Usage {
  return { ...noUsage, ...counts };
}

test('a call costs what its tokens cost, each kind at its own price', async () => {
  const catalogue = open();
  const opus = named('anthropic:claude-opus-5-5');

  const price = await catalogue.price(opus, noon);
  assert.deepEqual(price, { input: 4 * million, cacheRead: 200_000, cacheWrite: 5 * million, output: 20 * million });
  const usage = { fresh: 1000, cacheRead: 10_000, cacheWrite: 2000, output: 500, reasoning: 400 };
  assert.equal(await catalogue.cost(opus, usage, noon), 4000 + 2000 + 10_000 + 10_000);
  assert.equal(await catalogue.window(opus), million);
});

test('a fraction of a millionth of a dollar is rounded up, and what is exact stays so', async () => {
  const catalogue = open({ prices: { 'custom:x': { input: 0.1, output: 0.3, cacheRead: 0, cacheWrite: 0 } } });

  const cost = (fresh: number): Promise<number | undefined> =>
    catalogue.cost(named('custom:x'), tokens({ fresh }), noon);

  assert.deepEqual([await cost(1), await cost(30), await cost(31)], [1, 3, 4]);
});

test('one missing price that a call needs makes its cost unknown, never low', async () => {
  const catalogue = open();
  const gpt = named('openai:gpt-5.4');

  assert.equal((await catalogue.price(gpt, noon))?.cacheWrite, undefined);
  assert.equal(await catalogue.cost(gpt, tokens({ fresh: 1000, output: 10 }), noon), 2650);
  assert.equal(await catalogue.cost(gpt, tokens({ fresh: 1000, cacheWrite: 1, output: 10 }), noon), undefined);
  assert.equal(await catalogue.cost(gpt, noUsage, noon), undefined);
});

test('a dated snapshot has the price of its model, and another version has none', async () => {
  const catalogue = open();
  const price = async (name: string): Promise<number | undefined> => (await catalogue.price(named(name), noon))?.input;

  assert.equal(await price('anthropic:claude-sonnet-5'), 2 * million);
  assert.equal(await price('anthropic:claude-sonnet-5-20260901'), 2 * million);
  assert.equal(await price('anthropic:claude-sonnet-4-20250514'), 3 * million);
  assert.equal(await price('anthropic:Claude-Haiku-4-5-latest'), million);
  for (const other of ['claude-sonnet-5-5', 'claude-sonnet-5-5-20261101', 'claude-sonnet-50', 'claude-opus-4-8-fast']) {
    assert.equal(await price(`anthropic:${other}`), undefined, other);
    assert.equal(await catalogue.window(named(`anthropic:${other}`)), undefined, other);
  }
  assert.equal(await price('gemini:gemini-3.8-flash-lite'), undefined);
  assert.equal(await price('gemini:gemini-2.5-pro'), 1_250_000);
  assert.equal(await price('gemini:gemini-2.5-pro-tts'), million);
  assert.equal(await price('gemini:claude-opus-5-5'), 4 * million);
});

test('a long prompt costs its own price, all of it', async () => {
  const catalogue = open();
  const gpt = named('openai:gpt-5.4');

  const short = await catalogue.cost(gpt, tokens({ fresh: 1999, cacheRead: 270_000, output: 100 }), noon);
  const long = await catalogue.cost(gpt, tokens({ fresh: 2000, cacheRead: 270_000, output: 100 }), noon);

  assert.equal(short, Math.ceil(1999 * 2.5) + 67_500 + 1500);
  assert.equal(long, 2000 * 5 + 135_000 + 2250);
  assert.equal((await catalogue.price(gpt, noon))?.input, 2_500_000);
});

test('a call is priced by the date and the hour that it was made at', async () => {
  const catalogue = open();
  const inputAt = async (name: string, at: number): Promise<number | undefined> =>
    (await catalogue.price(named(name), at))?.input;

  assert.equal(await inputAt('gemini:gemini-3.8-flash', Date.UTC(2026, 11, 31, 23, 59)), 750_000);
  assert.equal(await inputAt('gemini:gemini-3.8-flash', Date.UTC(2027, 0, 1)), 1_500_000);
  assert.equal(await inputAt('deepseek:deepseek-chat', Date.UTC(2025, 2, 1, 0, 29)), 135_000);
  assert.equal(await inputAt('deepseek:deepseek-chat', Date.UTC(2025, 2, 1, 0, 30)), 270_000);
  assert.equal(await inputAt('deepseek:deepseek-chat', Date.UTC(2025, 2, 1, 16, 30)), 135_000);
});

test('what servers are told to keep for an hour costs more to write', async () => {
  const usage = tokens({ cacheWrite: 1000 });
  const opus = named('anthropic:claude-opus-5-5');

  assert.equal(await open().cost(opus, usage, noon), 5000);
  assert.equal(await open({ cacheLife: '1h' }).cost(opus, usage, noon), 8000);
});

test('a past call is priced by how long its server was told to keep what it wrote, whatever the settings say now', async () => {
  const usage = tokens({ cacheWrite: 1000 });
  const opus = named('anthropic:claude-opus-5-5');

  assert.equal(await open().cost(opus, usage, noon, '1h'), 8000);
  assert.equal(await open({ cacheLife: '1h' }).cost(opus, usage, noon, '5m'), 5000);
});

test('an hour costs twice the input where the seller of a Claude lists no price for it, and nothing more where nobody is told', async () => {
  const usage = tokens({ cacheWrite: 1000 });

  assert.equal(await open().cost(named('openrouter:anthropic/claude-opus-5.5'), usage, noon, '5m'), 5000);
  assert.equal(await open().cost(named('openrouter:anthropic/claude-opus-5.5'), usage, noon, '1h'), 8000);
  const [short, long] = [
    await open().cost(named('openai:gpt-6-sol'), usage, noon, '5m'),
    await open().cost(named('openai:gpt-6-sol'), usage, noon, '1h'),
  ];
  assert.deepEqual([short, long], [2500, 2500]);
});

test('the prices of the settings count before all others, and alone', async () => {
  const prices = {
    'openai:gpt-5.4': { input: 1, output: 2, cacheRead: undefined, cacheWrite: undefined },
    'ollama:rented': { input: 3, output: 3, cacheRead: 3, cacheWrite: 3 },
  };
  const catalogue = open({ prices });

  assert.equal(await catalogue.cost(named('openai:gpt-5.4'), tokens({ fresh: 1000, output: 10 }), noon), 1020);
  assert.equal(await catalogue.cost(named('openai:gpt-5.4'), tokens({ fresh: 1, cacheRead: 1 }), noon), undefined);
  assert.equal(await catalogue.cost(named('ollama:rented'), tokens({ fresh: 1 }), noon), 3);
});

test('models on this machine and the demo cost nothing; at an address of the user nobody knows', async () => {
  const catalogue = open();
  const cost = (name: string): Promise<number | undefined> =>
    catalogue.cost(named(name), tokens({ fresh: 1000, cacheWrite: 1, output: 1 }), noon);

  for (const name of ['ollama:llama3:8b', 'lmstudio:x', 'llamacpp:x', 'vllm:x', 'demo:demo']) {
    assert.equal(await cost(name), 0, name);
    assert.equal(await catalogue.window(named(name)), undefined, name);
  }
  for (const name of ['custom:gpt-5.4', 'nous:gpt-5.4', 'nobody:gpt-5.4'])
    assert.equal(await cost(name), undefined, name);
});

test('an aggregator has its own list, and what it sends on to whom it likes has no price', async () => {
  const catalogue = open();
  const input = async (name: string): Promise<number | undefined> => (await catalogue.price(named(name), noon))?.input;

  assert.equal(await input('openrouter:anthropic/claude-sonnet-5'), 2 * million);
  assert.equal(await input('openrouter:deepseek/deepseek-chat:free'), 0);
  assert.equal(await input('openrouter:google/lyria-3-pro-preview'), undefined);
  assert.equal(await input('openrouter:openrouter/auto'), undefined);
  assert.equal(await input('huggingface:openai/gpt-oss-120b'), undefined);
  assert.equal(await input('huggingface:openai/gpt-oss-120b:groq'), 150_000);
});

test('every vendor of the table gets an answer, known or not', async () => {
  const catalogue = open();

  for (const { name, defaultModel } of vendors) {
    const runtime = named(`${name}:${defaultModel ?? 'anything'}`);
    await assert.doesNotReject(catalogue.cost(runtime, tokens({ fresh: 1 }), noon), name);
  }
});

test('prices of a form that is not understood are unknown', async () => {
  await using folder = await makeTempFolder();
  const shapes: Readonly<Record<string, JsonObject | JsonObject[]>> = {
    'per-request': { input_mtok: 1, output_mtok: 1, requests_kcount: 5 },
    'odd-tiers': { input_mtok: { base: 1, tiers: [{ from: 5, price: 2 }] }, output_mtok: 1 },
    'odd-date': [{ prices: { input_mtok: 1 } }, { constraint: { weekday: 'sunday' }, prices: { input_mtok: 2 } }],
    'not-yet': [{ constraint: { start_date: '2030-01-01' }, prices: { input_mtok: 2 } }],
    negative: { input_mtok: -1 },
  };
  const models = Object.entries(shapes).map(([id, prices]) => ({ id, match: { equals: id }, prices }));
  await keepFetched(folder.path, [{ id: 'openai', models }]);
  const catalogue = open({ folder: folder.path });

  for (const id of Object.keys(shapes))
    assert.equal(await catalogue.cost(named(`openai:${id}`), tokens({ fresh: 1000 }), noon), undefined, id);
});

const newer = [
  {
    id: 'anthropic',
    models: [
      {
        id: 'claude-sonnet-5-5',
        match: { or: [{ equals: 'claude-sonnet-5-5' }, { regex: '(broken' }] },
        context_window: 2_000_000,
        prices: [
          { prices: { input_mtok: 7, output_mtok: 9 } },
          { constraint: { start_time: '22:00:00+00:00', end_time: '06:00:00+00:00' }, prices: { input_mtok: 1 } },
        ],
      },
    ],
  },
];

async function keepFetched(folder: string, providers: readonly JsonObject[], beside?: string): Promise<void> {
  const kept = { beside: beside ?? (await readPackageVersion()), fetchedAt: 'today', providers };
  await writeFile(fetchedPricesFile(folder), JSON.stringify(kept));
}

async function refreshFrom(server: Server, folder: string): Promise<Refresh> {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return await refreshCatalogue({
    folder,
    fetchText: (url) =>
      downloadText(
        `http://127.0.0.1:${address.port}${new URL(url).pathname}`,
        () => undefined,
        new AbortController().signal,
      ),
    write: writeAtomically,
    now: () => noon,
  });
}

async function serve(status: number, body: string): Promise<Server & AsyncDisposable> {
  const server = createServer((request, response) => {
    const isRight = request.method === 'GET' && request.url?.endsWith('/data.json') === true;
    response.writeHead(isRight ? status : 404).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  });
}

test('prices that are fetched are kept for this user alone and count from the next start on', async () => {
  await using folder = await makeTempFolder();
  await using server = await serve(200, JSON.stringify(newer));

  const refresh = await refreshFrom(server, folder.path);

  const path = join(folder.path, 'prices.json');
  assert.ok(refresh.type === 'refreshed');
  assert.deepEqual([refresh.path, refresh.models], [path, 1]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const catalogue = open({ folder: folder.path });
  const sonnet = named('anthropic:claude-sonnet-5-5');
  assert.equal(await catalogue.window(sonnet), 2_000_000);
  assert.equal((await catalogue.price(sonnet, noon))?.input, 7 * million);
  assert.equal((await catalogue.price(sonnet, Date.UTC(2026, 10, 1, 23)))?.input, million);
  assert.equal((await catalogue.price(sonnet, Date.UTC(2026, 10, 1, 5)))?.input, million);
});

test('an answer that is no price data changes nothing and says why', async () => {
  await using folder = await makeTempFolder();
  await keepFetched(folder.path, newer);
  const before = await readFile(fetchedPricesFile(folder.path), 'utf8');
  const answers: readonly (readonly [number, string])[] = [
    [200, '<html>'],
    [200, '[]'],
    [200, '[{"id":"openai","models":[{"id":"x"}]}]'],
    [503, JSON.stringify(newer)],
  ];

  const reasons: string[] = [];
  for (const [status, body] of answers) {
    await using server = await serve(status, body);
    const refresh = await refreshFrom(server, folder.path);
    assert.ok(refresh.type === 'failed');
    reasons.push(refresh.reason);
  }

  assert.equal(await readFile(fetchedPricesFile(folder.path), 'utf8'), before);
  const noData = 'what came is no price data';
  assert.deepEqual(reasons, [noData, noData, noData, 'the server answered 503']);
});

test('fetched prices that are damaged are passed over with a warning, and older ones than the package in silence', async () => {
  await using folder = await makeTempFolder();
  const path = fetchedPricesFile(folder.path);
  const problems: string[] = [];
  const readInput = async (): Promise<number | undefined> => {
    const catalogue = open({ folder: folder.path, warn: (problem) => problems.push(problem) });
    return (await catalogue.price(named('anthropic:claude-sonnet-5'), noon))?.input;
  };

  await writeFile(path, '{"beside":');
  // Where nothing could be found nothing is read.
  const unasked = open({ folder: folder.path });
  assert.equal(await unasked.window(named('custom:claude-sonnet-5')), undefined);
  assert.equal(await unasked.cost(named('ollama:claude-sonnet-5'), tokens({ fresh: 1 }), noon), 0);
  assert.equal(await readInput(), 2 * million);
  assert.equal(problems.length, 1);
  assert.ok(problems[0]?.startsWith(`${path} is damaged`));

  await keepFetched(folder.path, newer, '0.0.1');
  assert.equal(await readInput(), 2 * million);
  assert.equal(problems.length, 1);
});

test('prices that could not be loaded once are loaded with the next question', async () => {
  await using folder = await makeTempFolder();
  await writeFile(fetchedPricesFile(folder.path), 'damaged');
  let isFull = true;
  const warn = (): void => {
    if (isFull) throw new Error('the log is full');
  };
  const catalogue = open({ folder: folder.path, warn });

  await assert.rejects(catalogue.window(named('anthropic:claude-opus-5-5')), /the log is full/);
  isFull = false;

  assert.equal(await catalogue.window(named('anthropic:claude-opus-5-5')), million);
});
