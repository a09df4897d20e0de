import { integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { settle } from './tool-outcomes.ts';
import type { WebToolDeps } from './web/web-tool-deps.ts';

const inputSchema = object({
  query: string('what to look for', { minLength: 1 }),
  limit: optional(integer('default 8, at most 20')),
});

type WebSearchInput = ValueOf<typeof inputSchema>;

/** Searches the web with the engine of the settings. */
export function createWebSearch(deps: WebToolDeps): Tool<WebSearchInput> {
  return {
    name: 'web_search',
    toolset: 'web',
    description: 'Search the web: titles, addresses and excerpts.',
    input: inputSchema,
    effect: 'reads',
    assess: async (input) => (await import('./web/assess-leaving.ts')).assessLeaving(input.query, deps),
    footprint: () => ({ type: 'files', paths: [] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { runWebSearch } = await import('./web/run-web-search.ts');
        return await runWebSearch({ query: input.query, limit: input.limit }, deps, context);
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
