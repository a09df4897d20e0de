import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { noBrowser } from '../support/browser.ts';
import { callsTool } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { startWebSite } from '../support/web-site.ts';
import type { WebSite } from '../support/web-site.ts';

interface LongCall {
  readonly tool: string;
  readonly input: (site: WebSite) => JsonObject;
  /** Resolves in the middle of it. */
  readonly begins: (house: TestHouse, site: WebSite) => Promise<AsyncDisposable | undefined>;
}

/** What takes until it is stopped. */
const longCalls: readonly LongCall[] = [
  {
    tool: 'terminal',
    input: () => ({ command: 'mkfifo pipe; echo begun; tail -f /dev/null' }),
    begins: whenItShows('begun'),
  },
  {
    tool: 'search_files',
    input: () => ({ pattern: 'x', path: 'pipe' }),
    // A pipe can be written to from the moment on in which somebody reads it.
    begins: (house) => open(join(house.workdir, 'pipe'), 'w'),
  },
  { tool: 'web_fetch', input: (site) => ({ url: `${site.origin}/silent` }), begins: whenAsked('/silent') },
  { tool: 'web_search', input: () => ({ query: 'x' }), begins: whenAsked('/search?q=x&format=json') },
  {
    tool: 'browser',
    input: (site) => ({ action: 'open', url: `${site.origin}/slow` }),
    begins: whenAsked('/slow'),
  },
  {
    tool: 'clarify',
    input: () => ({ question: 'Which?' }),
    begins: async (house) => {
      await house.whenAsked();
      return undefined;
    },
  },
];

function whenItShows(part: string): LongCall['begins'] {
  return async (house) => {
    await house.when((event) => event.type === 'tool.progress' && event.text.includes(part));
    return undefined;
  };
}

function whenAsked(path: string): LongCall['begins'] {
  return async (_house, site) => {
    await site.whenAsked(path);
    return undefined;
  };
}

test('a stop ends whatever tool is at work, and the next message finds it ready', async () => {
  await using site = await startWebSite({
    '/silent': () => undefined,
    '/slow': () => undefined,
    '/search': () => undefined,
  });
  const calls = longCalls.filter(({ tool }) => tool !== 'browser' || noBrowser === false);
  await using house = await openTestHouse({
    script: calls.map(({ tool, input }) => callsTool(tool, input(site))),
    settings: {
      search: { base_url: site.origin, allow_private: site.host },
      browser: { allow_private: site.host },
    },
  });

  for (const { begins } of calls) {
    const begun = begins(house, site);
    await house.admit('go');
    await using _held = await begun;
    await house.say('/stop');
  }

  const log = await house.log();
  const outcomes = log.flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome.type] : []));
  assert.deepEqual(outcomes, ['done', ...calls.slice(1).map(() => 'interrupted')]);
  const results = log.flatMap(({ entry }) => (entry.type === 'turn.settled' ? [entry.result.type] : []));
  assert.deepEqual(
    results,
    calls.map(() => 'interrupted'),
  );
});
