import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { noBrowser } from '../support/browser.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { whenGone } from '../support/processes.ts';
import { browserNaming, openBrowserBench, processesNaming, refOf } from './browser-bench.ts';
import type { BrowserBench } from './browser-bench.ts';

const counting = {
  '/': (_asked: unknown, answer: ServerResponse): void => {
    answer
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'visit=first; Max-Age=3600' })
      .end('<title>Home</title><script>localStorage.seen ??= "before"; document.title = localStorage.seen</script>');
  },
  '/next': '<title>Next</title><p>next</p>',
} as const;

function profilesOf({ bench }: BrowserBench): string {
  return join(bench.taskFolder, 'browser');
}

async function whenClosed(here: BrowserBench): Promise<void> {
  for (const pid of await processesNaming(profilesOf(here))) await whenGone(pid);
}

test(
  'BRW-01 R4 each session has its own cookies, and ending one leaves the other alone',
  { skip: noBrowser },
  async () => {
    await using here = await openBrowserBench(counting);
    const other = { sessionId: newId('session', Date.now()) };
    await here.use('open', { url: here.site.url() });
    await here.bench.run('browser', { action: 'open', url: here.site.url('/next') }, other);
    const cookieOfOther = here.site.asked.find(({ path }) => path === '/next')?.cookie;

    await here.bench.toolbox.endTask(here.bench.place.sessionId);
    const mine = await here.use('snapshot');
    const theirs = await here.bench.run('browser', { action: 'snapshot' }, other);
    await here.bench.toolbox.endTask(other.sessionId);

    assert.equal(cookieOfOther, '');
    assert.equal(mine, 'ERROR: no page is open: begin with open');
    assert.match(theirs, /title: Next/);
    await whenClosed(here);
    assert.deepEqual(readdirSync(profilesOf(here)), []);
  },
);

test(
  'BRW-05 an idle browser is closed with its process, and goes on where it was with its cookies and tabs',
  { skip: noBrowser },
  async () => {
    const clock = new ManualClock();
    await using here = await openBrowserBench(counting, { clock });
    await here.use('open', { url: here.site.url() });
    const pids = await processesNaming(profilesOf(here));

    clock.advance(300_000);
    for (const pid of pids) await whenGone(pid);
    here.site.asked.length = 0;
    const seen = await here.use('snapshot');

    assert.ok(pids.length > 0);
    assert.match(seen, /\[the browser was closed meanwhile; its tabs were loaded again\]/);
    assert.match(seen, /title: before/);
    assert.equal(here.site.asked[0]?.cookie, 'visit=first');
  },
);

test(
  'R5 what a session was logged in to is kept over an orderly end and a new start, for its owner alone',
  { skip: noBrowser },
  async () => {
    await using here = await openBrowserBench(counting);
    await here.use('open', { url: here.site.url() });

    await here.bench.shutDown();
    await whenClosed(here);
    const file = await stat(join(here.bench.taskFolder, here.bench.place.sessionId, 'browser.json'));
    here.bench.restart();
    const seen = await here.use('open', { url: here.site.url('/next') });

    assert.equal(file.mode & 0o777, 0o600);
    assert.match(seen, /title: Next/);
    assert.equal(here.site.asked.at(-1)?.cookie || here.site.asked.at(-2)?.cookie, 'visit=first');
  },
);

test('R4 the end of a task leaves no process and no file of the browser', { skip: noBrowser }, async () => {
  await using here = await openBrowserBench(counting);
  await here.use('open', { url: here.site.url() });
  const pids = await processesNaming(profilesOf(here));

  await here.bench.toolbox.endTask(here.bench.place.sessionId);
  for (const pid of pids) await whenGone(pid);

  assert.equal(existsSync(join(here.bench.taskFolder, here.bench.place.sessionId)), false);
  assert.deepEqual(readdirSync(profilesOf(here)), []);
});

test('a browser that crashes is told, and the next call goes on with its tabs', { skip: noBrowser }, async () => {
  await using here = await openBrowserBench({
    ...counting,
    '/slow': () => undefined,
  });
  await here.use('open', { url: here.site.url() });
  const main = await browserNaming(profilesOf(here));
  const opening = here.use('open', { url: here.site.url('/slow') });
  await here.site.whenAsked('/slow');

  process.kill(main, 'SIGKILL');
  const said = await opening;
  const after = await here.use('snapshot');

  assert.equal(said, 'ERROR: the browser ended unexpectedly; the next call opens it again, with its tabs');
  assert.match(after, /title: before/);
});

test(
  'BRW-06 a page that does not load in time is told, its tab is closed, and the next page loads',
  { skip: noBrowser },
  async () => {
    const clock = new ManualClock();
    await using here = await openBrowserBench({ ...counting, '/slow': () => undefined }, { clock });
    const opening = here.use('open', { url: here.site.url('/slow') });
    await here.site.whenAsked('/slow');

    clock.advance(60_000);
    const said = await opening;
    const after = await here.use('open', { url: here.site.url('/next') });

    assert.equal(said, 'ERROR: the page did not answer within 60 s, and its tab was closed');
    assert.match(after, /title: Next/);
  },
);

test(
  'a page whose script never ends is left after its time, and the next page loads',
  { skip: noBrowser },
  async () => {
    const clock = new ManualClock();
    const spin = 'const asked = new XMLHttpRequest(); asked.open(`GET`, `/spinning`, false); asked.send(); for (;;);';
    await using here = await openBrowserBench(
      { ...counting, '/busy': `<button onclick="${spin}">Spin</button>` },
      { clock },
    );
    const seen = await here.use('open', { url: here.site.url('/busy') });
    const clicking = here.use('click', { ref: refOf(seen, 'button "Spin"') });
    await here.site.whenAsked('/spinning');

    clock.advance(30_000);
    const said = await clicking;
    const after = await here.use('open', { url: here.site.url('/next') });

    assert.equal(said, 'ERROR: the page did not answer within 30 s, and its tab was closed');
    assert.match(after, /title: Next/);
  },
);

test('a stop ends the wait for a page at once, and the browser stays', { skip: noBrowser }, async () => {
  await using here = await openBrowserBench({ ...counting, '/slow': () => undefined });
  await here.use('open', { url: here.site.url() });
  const stopping = new AbortController();
  const opening = here.bench.outcome(
    'browser',
    { action: 'open', url: here.site.url('/slow') },
    { signal: stopping.signal },
  );
  await here.site.whenAsked('/slow');

  stopping.abort({ type: 'stop', by: 'ann' });
  const outcome = await opening;
  const after = await here.use('open', { url: here.site.url('/next') });

  assert.deepEqual(outcome, { type: 'interrupted' });
  assert.match(after, /title: Next/);
});
