import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { openSite } from '../support/site.ts';
import { openCacheBench } from './cache-bench.ts';

type Said = readonly { readonly role: string; readonly content: string }[];

function saidIn(json: SeenRequest['json']): Said {
  return (json?.['messages'] ?? []) as unknown as Said;
}

/** A turn with one act in the browser: the message is its input. */
function actsAsSaid({ json }: SeenRequest): ReturnType<typeof says> {
  const last = saidIn(json).at(-1);
  return last?.role === 'user' ? callsTool('browser', last.content) : says('Done.');
}

function lastResult(request: SeenRequest | undefined): string {
  return saidIn(request?.json).findLast(({ role }) => role === 'tool')?.content ?? '';
}

test(
  'R2 R4 R5 after an eviction a new agent finds the very page it left, and a hard close ends that browser and no other',
  { skip: noBrowser },
  async () => {
    await using site = await openSite({
      '/': '<title>Form</title><input aria-label="Name">',
      '/b': '<title>Other</title>',
    });
    await using bench = await openCacheBench({
      script: actsAsSaid,
      limits: { maxAgents: 1 },
      browserHost: site.host,
    });
    const first = await bench.say('a', { text: JSON.stringify({ action: 'open', url: site.url() }) });
    const [, ref = ''] = /textbox "Name" \[ref=(\w+)\]/.exec(lastResult(bench.server.requests.at(-1))) ?? [];
    await bench.say('a', { text: JSON.stringify({ action: 'type', ref, text: 'half a form' }) });

    await bench.say('b', { text: JSON.stringify({ action: 'open', url: site.url('/b') }) });
    await bench.whenNoted('close a');
    const second = await bench.say('a', { text: JSON.stringify({ action: 'snapshot' }) });
    const found = lastResult(bench.server.requests.at(-1));
    await bench.cache.close(second.sessionId);
    await bench.say('a', { text: JSON.stringify({ action: 'snapshot' }) });
    const ended = lastResult(bench.server.requests.at(-1));
    await bench.say('b', { text: JSON.stringify({ action: 'snapshot' }) });
    const other = lastResult(bench.server.requests.at(-1));

    assert.notEqual(second, first);
    assert.match(found, /title: Form[\s\S]*half a form/);
    assert.equal(site.asked.filter(({ path }) => path === '/').length, 1);
    assert.equal(ended, 'ERROR: no page is open: begin with open');
    assert.match(other, /title: Other/);
  },
);
