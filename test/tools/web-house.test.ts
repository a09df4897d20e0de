import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import { movedTo, startWebSite } from '../support/web-site.ts';
import type { SitePage, WebSite } from '../support/web-site.ts';

const results = { results: [{ url: 'https://a.example/heron', title: 'Herons', content: 'Long-legged birds.' }] };

const pages: Readonly<Record<string, SitePage>> = {
  '/': '<p>Herons eat fish.',
  '/silent': () => undefined,
  '/inside': movedTo('http://127.0.0.1:9/'),
  '/huge': { type: 'text/plain', body: 'fish '.repeat(300_000) },
  '/search': { type: 'application/json', body: JSON.stringify(results) },
};

/** What the model read last. */
function lastRead(requests: readonly SeenRequest[]): string {
  const messages = requests.at(-1)?.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '';
}

function settingsFor(site: WebSite): {
  readonly search: { readonly base_url: string; readonly allow_private: string };
} {
  return { search: { base_url: site.origin, allow_private: site.host } };
}

test('in the terminal the model searches the web and reads a page, and nobody is asked', async () => {
  await using site = await startWebSite(pages);
  const script = [
    callsTool('web_search', { query: 'herons' }),
    callsTool('web_fetch', { url: `${site.origin}/` }),
    says('Fish.'),
  ];
  await using house = await openTestHouse({ script, consent: 'nobody', settings: settingsFor(site) });

  const reply = await house.say('what do herons eat?');

  assert.equal(reply, 'Fish.');
  assert.match(
    lastRead(house.server.requests.slice(0, 2)),
    /^1 result of SearXNG\n<foreign-text .*\n1\. Herons\n {3}https:\/\/a\.example\/heron\n/s,
  );
  assert.match(
    lastRead(house.server.requests),
    /^16 characters\n<foreign-text sign="\w+" from="http:\/\/127\.0\.0\.1:\d+\/">\n.*\nHerons eat fish\.\n/,
  );
});

test('in the terminal nothing of this machine is fetched unless the settings name it, and they are read anew for every turn', async () => {
  await using site = await startWebSite(pages);
  const fetches = callsTool('web_fetch', { url: `${site.origin}/` });
  await using house = await openTestHouse({ script: [fetches, says('No.'), fetches, says('Yes.')] });

  await house.say('read it');
  const first = lastRead(house.server.requests);
  const model = {
    provider: 'custom',
    base_url: `${house.server.origin}/v1`,
    default: 'scripted',
    api_mode: 'chat_completions',
  };
  await writeFile(join(house.home, 'config.json'), JSON.stringify({ model, ...settingsFor(site) }));
  await house.say('read it now');

  assert.equal(
    first,
    'ERROR: 127.0.0.1 is not on the public internet, and search.allow_private in the settings does not name it',
  );
  assert.match(lastRead(house.server.requests), /\nHerons eat fish\.\n/);
  assert.equal(site.connections(), 1);
});

test('in the terminal a key of the environment or of .env does not leave in an address', async () => {
  await using site = await startWebSite(pages);
  const url = (secret: string): string => `${site.origin}/?k=${secret}`;
  await using house = await openTestHouse({
    script: [
      callsTool('web_fetch', { url: url('in-the-environment') }),
      callsTool('web_fetch', { url: url('in-the-file-of-keys') }),
      callsTool('web_fetch', { url: url('a-plain-setting') }),
      says('Done.'),
    ],
    settings: settingsFor(site),
    env: { SOME_API_KEY: 'in-the-environment' },
    prepareHome: (home) =>
      writeFile(join(home, '.env'), 'MY_TOKEN=in-the-file-of-keys\nSTYLE=a-plain-setting\n', { mode: 0o600 }),
  });

  await house.say('send it');

  assert.deepEqual(
    house.server.requests.slice(1).map((_, index) => lastRead(house.server.requests.slice(0, index + 2)).slice(0, 14)),
    ['REFUSED: a key', 'REFUSED: a key', '16 characters\n'],
  );
  assert.deepEqual(
    site.seen.map(({ path }) => path),
    ['/?k=a-plain-setting'],
  );
});

test('in the terminal bad arguments, private redirects and huge pages end in results that the model can act on', async () => {
  await using site = await startWebSite(pages);
  const script = [
    callsTool('web_fetch', {}),
    callsTool('web_fetch', { url: 'not an address' }),
    callsTool('web_fetch', { url: `${site.origin}/inside` }),
    callsTool('web_fetch', { url: `${site.origin}/huge` }),
    says('Done.'),
  ];
  await using house = await openTestHouse({ script, settings: settingsFor(site) });

  await house.say('go');

  const read = house.server.requests.slice(1).map((_, index) => lastRead(house.server.requests.slice(0, index + 2)));
  assert.match(read[0] ?? '', /^ERROR: the arguments do not fit: url is missing/);
  assert.match(read[1] ?? '', /^ERROR: that is no address/);
  assert.match(read[2] ?? '', /^REFUSED: 127\.0\.0\.1:\d+ led on: /);
  assert.match(read[3] ?? '', /^characters 0 to 30000 of 1500000; go on with offset 30000\n/);
});

test('in the terminal a very long address is asked about, and one that is not allowed is not fetched', async () => {
  await using site = await startWebSite(pages);
  const script = [callsTool('web_fetch', { url: `${site.origin}/?d=${'a'.repeat(3000)}` }), says('Done.')];
  await using house = await openTestHouse({ script, consent: 'denied', settings: settingsFor(site) });

  await house.say('send it');

  assert.match(lastRead(house.server.requests), /^REFUSED: the user did not allow this/);
  assert.equal(site.connections(), 0);
});

test('in the terminal a stop reaches a fetch that nobody answers', async () => {
  await using site = await startWebSite(pages);
  const script = [callsTool('web_fetch', { url: `${site.origin}/silent` }), says('never said')];
  await using house = await openTestHouse({ script, settings: settingsFor(site) });

  await house.admit('read it');
  await site.whenAsked('/silent');
  await house.say('/stop');

  const settled = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'turn.settled' ? [entry.result.type] : [],
  );
  assert.deepEqual(settled, ['interrupted']);
});

test('through the gateway the model searches the web and reads a page for someone on Telegram', async () => {
  await using site = await startWebSite(pages);
  const script = [
    callsTool('web_search', { query: 'herons' }),
    callsTool('web_fetch', { url: `${site.origin}/` }),
    says('They eat fish.'),
  ];
  await using house = await openTelegramHouse({ script, settings: settingsFor(site) });

  house.telegram.post({ text: 'what do herons eat?' });
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('They eat fish.'));

  assert.match(lastRead(house.model.requests), /\nHerons eat fish\.\n/);
  assert.equal(site.seen.length, 2);
});

test('through the gateway a platform can be without the web', async () => {
  await using house = await openTelegramHouse({
    script: [says('Hello.')],
    settings: { agent: { disabled_toolsets: ['web'] } },
  });

  house.telegram.post({ text: 'hello' });
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));

  assert.doesNotMatch(JSON.stringify(house.model.requests[0]?.json?.['tools']), /web_/);
});
