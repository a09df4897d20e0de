import assert from 'node:assert/strict';
import { startWebSite } from '../../support/web-site.ts';
import type { SitePage, WebSite } from '../../support/web-site.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench, ToolBenchOptions } from '../open-toolbox.ts';

export interface Reader extends AsyncDisposable {
  readonly site: WebSite;
  readonly bench: ToolBench;
  /** What the model reads of a path of the site. */
  read(path: string, offset?: number): Promise<string>;
}

/** A bench that may read one site on loopback. */
export async function openReader(
  pages: Readonly<Record<string, SitePage>>,
  options: ToolBenchOptions = {},
): Promise<Reader> {
  const site = await startWebSite(pages);
  const bench = await openToolBench({ ...options, search: { allowPrivate: [site.host], ...options.search } });
  return {
    site,
    bench,
    read: (path, offset) =>
      bench.run('web_fetch', { url: `${site.origin}${path}`, ...(offset !== undefined && { offset }) }),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** What stands between the marks, without the note. */
export function inside(text: string): string {
  const found =
    /^(?:\d+ characters|characters [^\n]*)\n<foreign-text sign="([0-9a-f]{8})" from="[^"<>\s]*">\n\[Others wrote this\.[^\n]*\]\n(.*)\n<\/foreign-text sign="\1">$/s.exec(
      text,
    );
  assert.ok(found !== null, text.slice(0, 500));
  return found[2] ?? '';
}
