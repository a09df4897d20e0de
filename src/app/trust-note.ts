import type { FilePromptSources } from '../store/prompt/prompt-sources.ts';

/** What whoever sits in a folder should know about its files, if they do not count; at most one line. */
export function describeIgnored(workdir: string, sources: FilePromptSources): readonly string[] {
  const ignored = sources.ignoredContext(workdir);
  if (ignored === undefined) return [];
  const { folder, names } = ignored;
  const [first = ''] = names;
  const what = names.length === 1 ? `${first} is` : `${first} and ${names.length - 1} more are`;
  return [`${what} not read: ${folder} is not trusted. To trust it: talaria trust ${quoteForShell(folder)}`];
}

function quoteForShell(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
