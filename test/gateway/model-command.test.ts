import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../src/base/json.ts';
import type { Json } from '../../src/base/json.ts';
import { callsTool, delays, failsWith, says } from '../support/model-script.ts';
import { saysResponses } from '../support/responses-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import { withUsualSettings } from '../support/usual-settings.ts';
import { command, connections, modelsAsked, sayIn } from './say-commands.ts';

test('/model changes the model of this session and of no other, for good', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('one');

  const reply = await command(house, '/model other');
  await house.say('two');
  await sayIn(house, 'elsewhere', 'three');
  await house.restart();
  await house.say('four');

  const unasked = 'It was not asked yet: `talaria model check custom:other` does that.';
  assert.deepEqual(reply.split('\n'), [
    'custom:other · price unknown · window unknown',
    `It answers in this session from the next message on. ${unasked}`,
  ]);
  assert.deepEqual(modelsAsked(house), ['scripted', 'other', 'scripted', 'other']);
  assert.deepEqual((await house.session()).settings, { model: 'custom:other' });
});

test('/model default goes back to the configured model', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await command(house, '/model other');
  await command(house, '/reasoning low');

  const reply = await command(house, '/model default');
  await house.say('hi');

  assert.equal(reply, 'custom:scripted answers in this session, as configured.');
  assert.deepEqual(modelsAsked(house), ['scripted']);
  assert.deepEqual((await house.session()).settings, { effort: 'low' });
});

test('/model alone shows what answers, what is configured and the aliases, with prices and windows', async () => {
  await using house = await openTestHouse({
    script: [],
    settings: {
      model: {
        provider: 'openai',
        default: 'gpt-4o',
        base_url: 'http://127.0.0.1:1/v1',
        key_env: 'OPENAI_API_KEY',
        context_length: 64_000,
        aliases: { quick: 'openai:quick-one' },
      },
      prices: { 'openai:gpt-4o': { input: 2.5, output: 10 } },
    },
    env: { OPENAI_API_KEY: 'k' },
  });

  const configured = await command(house, '/model');
  await command(house, '/model quick');
  const chosen = await command(house, '/model');

  const known = 'openai:gpt-4o · $2.50 in, $10 out per million tokens · reads 64,000 tokens';
  assert.deepEqual(configured.split('\n').slice(0, -1), [
    `answers now  ${known} (as configured)`,
    'aliases      quick = openai:quick-one',
  ]);
  assert.deepEqual(chosen.split('\n').slice(0, -1), [
    'answers now  openai:quick-one · price unknown · window unknown (chosen for this session)',
    `configured   ${known}`,
    'aliases      quick = openai:quick-one',
  ]);
});

for (const [what, name, problem] of [
  ['a provider without a key', 'anthropic:claude-x', /^Nothing was changed: .*ANTHROPIC_API_KEY\.$/],
  [
    'an unknown provider',
    'opnai:gpt-5',
    /^Nothing was changed: unknown provider opnai \(did you mean openai\?\): the known ones are openai, /,
  ],
] as const) {
  for (const scope of ['', ' --global']) {
    test(`${what} is said at once, and nothing is changed${scope}`, async () => {
      await using house = await openTestHouse({
        script: [],
        settings: { model: { provider: 'openai', default: 'gpt-4o' } },
        env: { OPENAI_API_KEY: 'k' },
      });
      const before = await readFile(join(house.home, 'config.json'), 'utf8');

      const reply = await command(house, `/model ${name}${scope}`);

      assert.match(reply, problem);
      assert.deepEqual((await house.session()).settings, {});
      assert.equal(await readFile(join(house.home, 'config.json'), 'utf8'), before);
    });
  }
}

test('a change while a turn runs applies from the next turn on, and says so', async () => {
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: [delays(gate, callsTool('terminal', { command: 'true' })), says('Done.'), says('Hello.')],
  });
  await house.admit('work');
  await house.server.whenRequested(1);

  const reply = await command(house, '/model other');
  goOn();
  await house.whenIdle();
  await house.say('next');

  assert.match(reply, /The turn that runs ends with its own model; this applies from the next one on\.$/);
  assert.deepEqual(modelsAsked(house), ['scripted', 'scripted', 'other']);
});

test('L9 a global change evicts every agent, /new the one of its session, and /reasoning none', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('one');
  await command(house, '/model own', 'elsewhere');
  await sayIn(house, 'elsewhere', 'two');

  await command(house, '/reasoning high');
  await house.say('three');
  await command(house, '/model everywhere --global --no-check');
  await house.say('four');
  await sayIn(house, 'elsewhere', 'five');
  for (const [index, word] of ['/new', '/reset', '/clear'].entries()) {
    await command(house, word);
    await house.say(`after ${index}`);
  }
  await sayIn(house, 'elsewhere', 'last');

  const models = ['scripted', 'own', 'scripted', 'everywhere', 'own', 'everywhere', 'everywhere', 'everywhere', 'own'];
  assert.deepEqual(modelsAsked(house), models);
  // Every agent has connections of its own, so that a new one can be told by them.
  assert.deepEqual(connections(house), [1, 2, 1, 3, 4, 5, 6, 7, 4]);
});

test('/model --global writes the model into the settings, and takes the place of what the session had chosen', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await command(house, '/model other');

  const reply = await command(house, '/model everywhere --global');
  await house.say('hi');

  const written = parseJson(await readFile(join(house.home, 'config.json'), 'utf8'));
  const base_url = house.server.baseUrl;
  const model = { provider: 'custom', base_url, default: 'everywhere', api_mode: 'chat_completions' };
  assert.match(reply, /^custom:everywhere · .*\nIt answers here and in every session that has no model of its own;/);
  assert.deepEqual(written, withUsualSettings({ model }));
  assert.deepEqual(modelsAsked(house), ['everywhere', 'everywhere'], 'once to see whether it answers');
  assert.deepEqual((await house.session()).settings, {});
});

test('/model --global to another provider leaves no address behind that would get its key', async () => {
  await using house = await openTestHouse({
    script: [],
    settings: { model: { provider: 'openai', base_url: 'http://127.0.0.1:1/v1', default: 'm', key_env: 'MINE' } },
    env: { MINE: 'k', GROQ_API_KEY: 'g' },
  });
  const written = async (): Promise<Json | undefined> =>
    parseJson(await readFile(join(house.home, 'config.json'), 'utf8'));

  await command(house, '/model n --global --no-check');
  const atSame = await written();
  await command(house, '/model groq:llama --global --no-check');
  const atOther = await written();

  const same = { provider: 'openai', base_url: 'http://127.0.0.1:1/v1', default: 'n', key_env: 'MINE' };
  assert.deepEqual(atSame, withUsualSettings({ model: same }));
  const { provider: _, default: model, ...place } = same;
  assert.deepEqual(
    atOther,
    withUsualSettings({
      model: { provider: 'groq', default: 'llama' },
      providers: { openai: { model, ...place } },
    }),
  );
});

test('a name that nearly is an alias is asked back about, and one that is none is not', async () => {
  await using house = await openTestHouse({
    script: () => says('Hello.'),
    settings: { model: { provider: 'openai', default: 'm', aliases: { fast: 'openai:small' } } },
    env: { OPENAI_API_KEY: 'k' },
  });

  const slip = await command(house, '/model fats');
  const alias = await command(house, '/model fast');
  const other = await command(house, '/model gpt-x');

  assert.match(
    slip,
    /^openai:fats · .*\nThere is no alias fats\. Did you mean fast\?\nIt answers in this session from/,
  );
  assert.doesNotMatch(alias + other, /no alias/);
});

test('where limits of money are set /model --global asks nobody outside of them, and says how to do without', async () => {
  const settings = { limits: { per_day: 5 }, prices: { 'custom:scripted': { input: 1, output: 1 } } };
  await using house = await openTestHouse({ script: () => says('Hello.'), settings });

  const refused = await command(house, '/model other --global');
  const unchecked = await command(house, '/model other --global --no-check');

  assert.match(
    refused,
    /^Nothing was changed: custom:other did not answer: it was not asked, since limits of money are/,
  );
  assert.match(refused, /--no-check writes it all the same\.$/);
  assert.match(unchecked, /It answers here and in every session/);
  assert.equal(house.server.requests.length, 0);
});

test('/model --global changes nothing where the model does not answer, unless told not to ask', async () => {
  await using house = await openTestHouse({ script: () => failsWith(404, { error: { message: 'No such model.' } }) });
  const before = await readFile(join(house.home, 'config.json'), 'utf8');

  const refused = await command(house, '/model gone --global');
  const after = await readFile(join(house.home, 'config.json'), 'utf8');
  const unchecked = await command(house, '/model gone --global --no-check');

  assert.match(
    refused,
    /^Nothing was changed: custom:gone did not answer: .*No such model\. --no-check writes it all the same\.$/,
  );
  assert.equal(after, before);
  assert.deepEqual((await house.session()).settings, {});
  assert.match(unchecked, /It answers here and in every session/);
  assert.match(await readFile(join(house.home, 'config.json'), 'utf8'), /"gone"/);
});

test('/model demo means the demo, whatever is configured', async () => {
  await using house = await openTestHouse({ script: [] });

  const reply = await command(house, '/model demo');

  assert.match(reply, /^demo:demo · free/);
  assert.deepEqual((await house.session()).settings, { model: 'demo:demo' });
});

test('an effort that the model is never told is said to be so', async () => {
  await using house = await openTestHouse({
    script: () => says('Hello.'),
    settings: { model: { provider: 'openai', default: 'm', base_url: 'http://127.0.0.1:1/v1', key_env: 'K' } },
    env: { K: 'k' },
  });

  const heard = await command(house, '/reasoning high');
  await command(house, '/model demo');
  const unheard = await command(house, '/reasoning low');
  const shown = await command(house, '/reasoning');
  const unset = await command(house, '/reasoning default');

  assert.equal(heard, 'Thinks with high effort in this session, where the model can be told.');
  const deaf = 'demo:demo, which answers here, cannot be told: nothing about it is sent.';
  assert.equal(unheard.split('\n')[1], deaf);
  assert.equal(shown.split('\n')[2], deaf);
  assert.doesNotMatch(unset, /cannot be told/);
});

test('a model of the fallback list is asked at its own address', async () => {
  await using other = await openTestHouse({ script: () => says('From there.') });
  await using house = await openTestHouse({
    script: () => says('From here.'),
    settings: { fallback: { provider: 'custom', base_url: other.server.baseUrl, model: 'over-there' } },
  });

  await command(house, '/model custom:over-there');
  await house.say('hi').catch(() => undefined);

  assert.deepEqual(modelsAsked(other), ['over-there']);
  assert.deepEqual(modelsAsked(house), []);
});

test('L5 reasoning effort changes on the agent that is there; its system prompt is untouched', async () => {
  await using house = await openTestHouse({ script: () => saysResponses('Hello.'), apiMode: 'codex_responses' });
  await house.say('one');

  await command(house, '/reasoning high');
  await house.say('two');
  await command(house, '/reasoning default');
  await house.say('three');

  const { requests } = house.server;
  assert.deepEqual(
    requests.map(({ json }) => json?.['reasoning']),
    [undefined, { effort: 'high', summary: 'auto' }, undefined],
  );
  assert.equal(new Set(requests.map(({ json }) => json?.['instructions'])).size, 1);
  assert.deepEqual(connections(house), [1, 1, 1]);
});

test('S6 reasoning effort is set per message and is not in the signature', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('one');
  const before = await house.frozenPrompt();

  await command(house, '/reasoning low');
  await house.say('two');
  await command(house, '/reasoning high');
  await house.say('three');

  const asked = (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry] : []));
  assert.deepEqual(
    asked.map(({ effort }) => effort),
    [undefined, 'low', 'high'],
  );
  assert.equal(new Set(asked.map(({ prompt }) => prompt)).size, 1);
  assert.equal((await house.frozenPrompt())?.signature, before?.signature);
});

test('/reasoning shows what holds, refuses other words, and --global writes it into the settings', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  const atFirst = await command(house, '/reasoning');
  const refused = await command(house, '/reasoning enormous');
  await command(house, '/reasoning medium --global');
  await command(house, '/reasoning low');
  const afterwards = await command(house, '/reasoning');

  const written = parseJson(await readFile(join(house.home, 'config.json'), 'utf8'));
  assert.match(atFirst, /^configured {2}not set: the model decides\n/);
  assert.match(refused, /^Say it like this: /);
  assert.match(afterwards, /^now {9}low \(chosen for this session\)\nconfigured {2}medium\n/);
  assert.match(JSON.stringify(written), /"reasoning_effort":"medium"/);
});

test('/status names the model of this session', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await command(house, '/model other');

  assert.match(await command(house, '/status'), /^model {4}custom:other$/m);
});

test('a session whose model can no longer be used says so and what to do, and takes up the message with another', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  const session = await house.session();
  await house.app.store.sessions.configure(session.id, { model: 'mistral:large' });

  const putOff = await house.say('hi');
  await command(house, '/model default');
  await house.say('again');

  assert.match(putOff, /MISTRAL_API_KEY \(this session was told to ask mistral:large; \/model default goes back/);
  assert.deepEqual(modelsAsked(house), ['scripted', 'scripted']);
});

test('a settings file that cannot be changed is said, and nothing is changed', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await writeFile(join(house.home, 'config.json'), '{ "model": ');

  const model = await command(house, '/model other --global --no-check');
  const effort = await command(house, '/reasoning high --global');
  await house.say('hi');

  assert.match(model, /^Nothing was changed: .*config\.json:1:\d+: /);
  assert.match(effort, /^Nothing was changed: .*config\.json:1:\d+: /);
  assert.deepEqual(modelsAsked(house), ['scripted']);
});
