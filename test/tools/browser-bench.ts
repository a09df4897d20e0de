import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { newId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { ToolOutcome } from '../../src/model/message.ts';
import { openSite } from '../support/site.ts';
import type { Site, SitePage } from '../support/site.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench, ToolBenchOptions } from './open-toolbox.ts';

export interface BrowserBench extends AsyncDisposable {
  readonly bench: ToolBench;
  readonly site: Site;
  /** Does something in the browser, and returns what the model reads. */
  readonly use: (action: string, more?: JsonObject) => Promise<string>;
}

/** A bench whose browser may open one site on loopback, and nothing else there. */
export async function openBrowserBench(
  pages: Readonly<Record<string, SitePage>>,
  options: ToolBenchOptions = {},
): Promise<BrowserBench> {
  const site = await openSite(pages);
  const bench = await openToolBench({
    ...options,
    browser: { allowPrivate: [site.host], ...options.browser },
  });
  return {
    bench,
    site,
    use: (action, more = {}) => bench.run('browser', { action, ...more }),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** A browser for the tests of a file, as one program has it; each visit is a session of its own, with a site of its own. */
export interface SharedBrowser extends AsyncDisposable {
  readonly visit: (pages: Readonly<Record<string, SitePage>>) => Promise<BrowserVisit>;
}

export interface BrowserVisit extends Omit<BrowserBench, 'bench'> {
  readonly outcome: (action: string) => Promise<ToolOutcome>;
  /** Where the program keeps what it keeps. */
  readonly home: string;
  readonly blobs: ReadonlyMap<string, string>;
}

export async function shareBrowser(): Promise<SharedBrowser> {
  const allowPrivate: string[] = [];
  const bench = await openToolBench({ browser: { allowPrivate } });
  // The browser would go with its last session, and come anew with the next: one more has something open all the time.
  let staying: Promise<string> | undefined;
  return {
    async visit(pages) {
      await (staying ??= bench.run('browser', { action: 'open', url: 'about:blank' }));
      const site = await openSite(pages);
      allowPrivate.push(site.host);
      const session = { sessionId: newId('session', Date.now()) };
      return {
        site,
        home: bench.home,
        blobs: bench.blobs,
        use: (action, more = {}) => bench.run('browser', { action, ...more }, session),
        outcome: (action) => bench.outcome('browser', { action }, session),
        async [Symbol.asyncDispose]() {
          await bench.toolbox.endTask(session.sessionId);
          await site[Symbol.asyncDispose]();
        },
      };
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

/** The ref of the element whose line in a snapshot has this. */
export function refOf(snapshot: string, words: string): string {
  const line = snapshot.split('\n').find((each) => each.includes(words));
  const [, ref] = /\[ref=(\w+)\]/.exec(line ?? '') ?? [];
  assert.ok(ref !== undefined, `no ${words} in ${snapshot}`);
  return ref;
}

/** The processes that have a folder in their arguments. */
export async function processesNaming(folder: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen = await Promise.all(
    pids.map(async (pid) => {
      const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return args.includes(folder) && pid !== process.pid ? [pid] : [];
    }),
  );
  return seen.flat();
}

/**
 * The browser itself among the processes that have a folder in their arguments. It need not have the lowest number, since the
 * system counts from the beginning again some day; but it is the only one that was started from here.
 */
export async function browserNaming(folder: string): Promise<number> {
  for (const pid of await processesNaming(folder)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === process.pid) return pid;
  }
  throw new Error(`no browser from here names ${folder}`);
}
