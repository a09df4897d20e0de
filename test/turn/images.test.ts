import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GivenImage } from '../../src/model/image.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { callsToolsAnthropic } from '../support/anthropic-script.ts';
import { callsTools, failsWith, says } from '../support/model-script.ts';
import type { ModelStep, ScriptedCall } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { base64Of, picture } from '../support/pictures.ts';
import { protocolScripts } from '../support/protocol-scripts.ts';
import { callsToolsResponses } from '../support/responses-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { withoutMarkers } from '../providers/anthropic-setup.ts';
import { answered, compactionsOf, contentsOf, notices, openLongHouse, prose, sumUps } from './compaction-setup.ts';

const cat = picture(10, 'cat.png');
const dog = picture(200, 'dog.png');

const callsIn: Readonly<Record<ApiMode, (calls: readonly ScriptedCall[]) => ModelStep>> = {
  chat_completions: (calls) => callsTools(calls),
  anthropic_messages: (calls) => callsToolsAnthropic(calls),
  codex_responses: (calls) => callsToolsResponses(calls),
};

/** What closes the messages of a request: before it stands what every later request begins with. */
const ends: Readonly<Record<ApiMode, string>> = {
  chat_completions: ']',
  anthropic_messages: ']}],"max_tokens":',
  codex_responses: ']',
};

async function causesIn(house: TestHouse): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }) =>
    entry.type === 'step.asked' ? [entry.change?.cause ?? 'extends'] : [],
  );
}

for (const { apiMode, says: speak } of protocolScripts) {
  test(`over ${apiMode} a picture is in every request of its conversation, in the same bytes, also after a restart`, async () => {
    const calls = callsIn[apiMode]([{ name: 'read_file', args: { path: 'missing.txt' } }]);
    await using house = await openTestHouse({
      apiMode,
      script: [calls, speak('A cat.'), speak('Still.'), speak('A dog.')],
    });

    await house.say('what is this?', [cat]);
    await house.restart();
    await house.say('are you sure?');
    await house.say('', [dog]);

    const bodies = house.server.requests.map(({ body }) => withoutMarkers(body));
    assert.deepEqual(
      bodies.map((body) => [body.includes(base64Of(cat)), body.includes(base64Of(dog))]),
      [
        [true, false],
        [true, false],
        [true, false],
        [true, true],
      ],
    );
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index] ?? '';
      assert.ok(body.startsWith(before.slice(0, before.lastIndexOf(ends[apiMode]))), `request ${index + 1}`);
    }
    assert.deepEqual(await causesIn(house), ['first', 'extends', 'extends', 'extends']);
  });

  test(`over ${apiMode} a picture that comes while tools run is shown behind their results`, async () => {
    const waits = { name: 'terminal', args: { command: 'while [ ! -e go ]; do sleep 0.01; done' } };
    await using house = await openTestHouse({
      apiMode,
      script: [callsIn[apiMode]([waits]), speak('I see.'), speak('Yes.')],
    });

    await house.admit('wait');
    await house.whenLogged('tool.called');
    await house.admit('look at this', [cat]);
    await writeFile(join(house.workdir, 'go'), '');
    await house.whenIdle();
    await house.say('and?');

    const [, second = '', third = ''] = house.server.requests.map(({ body }) => withoutMarkers(body));
    const mention = second.indexOf('[an image: cat.png, image/png, 1 KB]\\nlook at this');
    assert.ok(mention !== -1 && second.indexOf(base64Of(cat)) > mention);
    assert.ok(third.startsWith(second.slice(0, second.lastIndexOf(ends[apiMode]))));
  });
}

const blind = failsWith(400, { error: { message: 'this model does not support image input' } });

test('a model that takes no pictures reads a line for each, and the turn goes on and says so', async () => {
  await using house = await openTestHouse({
    script: ({ body }) => (body.includes('image_url') ? blind : says('I cannot see it.')),
  });

  const replies = [await house.say('what is this?', [cat]), await house.say('and now?')];
  await house.restart();
  replies.push(await house.say('and this?', [dog]));

  assert.deepEqual(replies, ['I cannot see it.', 'I cannot see it.', 'I cannot see it.']);
  assert.deepEqual(
    house.server.requests.map(({ body }) => [body.includes(base64Of(cat)), body.includes(base64Of(dog))]),
    [
      [true, false],
      [false, false],
      [false, false],
      [false, true],
      [false, false],
    ],
  );
  assert.deepEqual(contentsOf(house.server.requests.at(-1)).slice(0, 1), [
    '[an image: cat.png, image/png, 1 KB]\nwhat is this?',
  ]);
  const notice =
    "the model's server answered 400: this model does not support image input; going on without the images so far";
  assert.deepEqual(notices(house), [notice, notice]);
  assert.deepEqual(await causesIn(house), ['first', 'images', 'extends', 'extends', 'images']);
});

test('a stand-in that takes no pictures costs the primary none: it is shown them again, in the same bytes', async () => {
  await using standIn = await startModelServer(({ body }) =>
    body.includes('image_url') ? blind : says('from the stand-in'),
  );
  await using primary = await startModelServer((_request, index) =>
    index === 1 ? failsWith(401) : says('from the primary'),
  );
  const model = { provider: 'custom', base_url: primary.baseUrl, default: 'first' };
  const fallback = { provider: 'custom', base_url: standIn.baseUrl, model: 'second' };
  await using house = await openTestHouse({ script: [], settings: { model, fallback } });

  const replies = [await house.say('what is this?', [cat]), await house.say('sure?'), await house.say('and now?')];

  assert.deepEqual(replies, ['from the primary', 'from the stand-in', 'from the primary']);
  const [, second, third] = primary.requests.map(({ body }) => body);
  assert.ok(third?.startsWith(second?.slice(0, second.lastIndexOf(']')) ?? '-'));
  assert.ok(third?.includes(base64Of(cat)));
  assert.deepEqual(await causesIn(house), ['first', 'extends', 'first', 'images', 'extends']);
});

test('a server that still refuses where no picture is left is not asked for ever', async () => {
  await using house = await openTestHouse({ script: () => blind });

  const reply = await house.say('what is this?', [cat]);

  assert.equal(house.server.requests.length, 2);
  assert.match(reply, /does not support image input; use a model that reads images: `talaria model/);
});

test('the demo model reads a line in place of a picture, and the words behind it', async () => {
  await using house = await openTestHouse({ script: [], settings: { model: { provider: 'demo' } } });

  await house.say('run `echo seen`', [cat]);

  const calls = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.called' ? [entry.call.arguments] : [],
  );
  assert.deepEqual(calls, ['{"command":"echo seen"}']);
});

test('in what is shortened a picture is a line, and what is kept still shows it', async () => {
  await using long = await openLongHouse({
    window: 8000,
    answer: (_request, index) => says(`Reply ${index}. ${prose('word', 700)}`),
  });
  const { house, server } = long;

  await house.say('remember this', [cat]);
  for (let count = 1; count <= 4; count += 1) await house.say(`Saying ${count}.`);
  await house.say('and this', [dog]);

  const [compaction] = await compactionsOf(house);
  const [summary] = sumUps(server);
  const last = answered(server).at(-1);
  const line = '[an image: cat.png, image/png, 1 KB]\nremember this';
  assert.ok(contentsOf(summary)[0]?.includes(`USER: ${line}`));
  assert.equal(summary?.body.includes(base64Of(cat)), false);
  assert.ok(compaction?.text.includes(line));
  assert.deepEqual([last?.body.includes(base64Of(cat)), last?.body.includes(base64Of(dog))], [false, true]);
});

test('a picture counts as 1,600 tokens towards the window, however few or many bytes it has', async () => {
  const usage = null;
  await using few = await openLongHouse({ window: 12_000, answer: () => says('ok', { usage }) });
  await using many = await openLongHouse({ window: 12_000, answer: () => says('ok', { usage }) });

  for (const shades of [
    [1, 2],
    [3, 4],
    [5, 6],
  ]) {
    await few.house.say('look');
    await many.house.say(
      'look',
      shades.map((shade) => picture(shade)),
    );
  }

  assert.deepEqual(await compactionsOf(few.house), []);
  const [compaction] = await compactionsOf(many.house);
  assert.ok(compaction !== undefined && compaction.before > 3 * 2 * 1600 && compaction.before < 5 * 2 * 1600);
});

function heavy(shade: number): GivenImage {
  const bytes = Buffer.concat([picture(shade).bytes, Buffer.alloc(30_000, shade)]);
  return { bytes, name: `heavy-${shade}.png` };
}

test('a request that pictures made too large is sent again with the earlier ones as lines, and says so', async () => {
  const tooLarge = failsWith(413, {
    error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  });
  await using long = await openLongHouse({
    answer: ({ body }) => (body.length > 150_000 ? tooLarge : says('I see.')),
  });
  const { house, server } = long;

  for (const shade of [1, 2, 3]) await house.say(`picture ${shade}`, [heavy(shade)]);
  const reply = await house.say('picture 4', [heavy(4)]);

  const last = answered(server).at(-1)?.body ?? '';
  assert.equal(reply, 'I see.');
  assert.ok(last.includes(base64Of(heavy(4))) && !last.includes(base64Of(heavy(1))));
  assert.ok(last.includes('[an image: heavy-1.png, image/png, 30 KB]'));
  assert.match(notices(house)[0] ?? '', /413.*; shortening the conversation$/);
});

test('where money is limited, the worst case of a picture is set aside for it', async () => {
  const settings = {
    limits: { per_day: 100 },
    prices: { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } },
  };
  await using without = await openTestHouse({ script: () => says('ok'), settings });
  await using shown = await openTestHouse({ script: () => says('ok'), settings });

  await without.say('look');
  await shown.say('look', [cat]);

  const [less = 0, more = 0] = [await reservedIn(without), await reservedIn(shown)];
  assert.ok(less > 0 && more - less >= 50_000, `${less} and ${more}`);
});

async function reservedIn(house: TestHouse): Promise<number | undefined> {
  return (await house.log()).flatMap(({ entry }) =>
    entry.type === 'step.asked' && entry.reserved !== undefined ? [entry.reserved.amount] : [],
  )[0];
}
