import { integer, object, oneOf, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { findObjection } from './files/find-objection.ts';
import type { SearchDeps } from './files/run-search.ts';
import { failed, settle } from './tool-outcomes.ts';

const inputSchema = object({
  pattern: string('regular expression; for target files a glob (src/**/*.ts) or part of the path', { minLength: 1 }),
  target: optional(oneOf(['content', 'files'], 'default content')),
  path: optional(string('file or folder, default the current folder')),
  file_glob: optional(string('only in files like *.ts')),
  limit: optional(integer('default 50')),
  offset: optional(integer('results to skip')),
  context: optional(integer('lines around a match')),
});

type SearchInput = ValueOf<typeof inputSchema>;

/** Finds lines by their content or files by their names. */
export function createSearchFiles(deps: SearchDeps): Tool<SearchInput> {
  const { workspace } = deps;
  /** What the user was asked. */
  const asked = new WeakMap<SearchInput, string>();
  return {
    name: 'search_files',
    toolset: 'file',
    description:
      'Search file contents, or with target files find files by name, newest first. Hidden files and those in .gitignore are skipped.',
    input: inputSchema,
    effect: 'reads',
    assess: (input, place) => {
      const risk = workspace.judgeRead(workspace.locate(input.path ?? '.', place));
      if (risk.type === 'ask') asked.set(input, risk.question);
      return Promise.resolve(risk);
    },
    footprint: (input, place) => ({ type: 'files', paths: [workspace.locate(input.path ?? '.', place)] }),
    run: (input, context) => {
      return settle(context.signal, async () => {
        const { runSearch } = await import('./files/run-search.ts');
        const root = workspace.locate(input.path ?? '.', context);
        const reason = findObjection(root, workspace.judgeRead(root), asked.get(input));
        if (reason !== undefined) return failed(reason);
        return await runSearch(root, input, deps, context.signal);
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
