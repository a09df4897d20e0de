import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { openSite } from '../test/support/site.ts';
import { openToolBench } from '../test/tools/open-toolbox.ts';
import type { Figure } from './figure.ts';
import { medianTimes } from './measure.ts';

const executablePath = '/usr/bin/chromium';
const rounds = 7;
const items = Array.from({ length: 80 }, (_, place) => `<li><a href="/${place}">item ${place}</a></li>`).join('');

/**
 * A page that is opened and read, in a browser that runs, and from nothing: beside the same calls of Playwright alone,
 * without a proxy, a record or a file of cookies.
 */
export async function measureBrowserOpen(): Promise<readonly Figure[]> {
  if (!existsSync(executablePath)) return [];
  await using site = await openSite({ '/': `<title>List</title><ul>${items}</ul>` });
  await using bench = await openToolBench({ browser: { allowPrivate: [site.host] } });
  const open = async (): Promise<void> => {
    const said = await bench.run('browser', { action: 'open', url: site.url() });
    if (!said.includes('item 79')) throw new Error(`not what the page says: ${said.slice(0, 500)}`);
  };
  const launch = (): ReturnType<typeof chromium.launch> => chromium.launch({ executablePath, args: ['--disable-gpu'] });
  await using resources = new AsyncDisposableStack();
  const browser = await launch();
  resources.defer(() => browser.close());
  const page = await browser.newPage();
  const openBare = async (target = page): Promise<void> => {
    await target.goto(site.url(), { waitUntil: 'domcontentloaded' });
    await target.title();
    await target.ariaSnapshot({ mode: 'ai' });
  };
  const warm = await medianTimes({ ours: open, bare: () => openBare() }, rounds);
  const cold = await medianTimes(
    {
      ours: async () => {
        await bench.toolbox.endTask(bench.place.sessionId);
        await open();
      },
      bare: async () => {
        const another = await launch();
        await openBare(await another.newPage());
        await another.close();
      },
    },
    rounds,
  );
  const floor = 'bare Playwright';
  return [
    {
      name: 'browser: open and read a page',
      value: warm.ours,
      unit: 'ms',
      floor: { name: floor, value: warm.bare },
      bar: { type: 'none' },
    },
    {
      name: 'browser: the same with its start',
      value: cold.ours,
      unit: 'ms',
      floor: { name: floor, value: cold.bare },
      bar: { type: 'none' },
    },
  ];
}
