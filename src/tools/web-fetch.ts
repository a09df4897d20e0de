import { integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { settle } from './tool-outcomes.ts';
import type { WebToolDeps } from './web/web-tool-deps.ts';

const inputSchema = object({
  url: string('https://…', { minLength: 1 }),
  offset: optional(integer('character to go on from')),
});

type WebFetchInput = ValueOf<typeof inputSchema>;

/** Reads a page of the public web. */
export function createWebFetch(deps: WebToolDeps): Tool<WebFetchInput> {
  return {
    name: 'web_fetch',
    toolset: 'web',
    description: 'Read a web page or PDF as Markdown, other text as it is.',
    input: inputSchema,
    effect: 'reads',
    assess: async (input) => (await import('./web/assess-leaving.ts')).assessUrl(input.url, deps),
    footprint: () => ({ type: 'files', paths: [] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { runWebFetch } = await import('./web/run-web-fetch.ts');
        return await runWebFetch({ url: input.url, offset: input.offset }, deps, context);
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
