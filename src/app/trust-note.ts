import type { ProjectServersSource } from '../model/project-servers.ts';
import type { FilePromptSources } from '../store/prompt/prompt-sources.ts';
import { serversFile } from '../store/project/project-servers.ts';

interface NoteSources {
  readonly sources: Pick<FilePromptSources, 'ignored'>;
  readonly projects: ProjectServersSource;
}

/** What whoever sits in a folder should know about its files, where they do not count. */
export function describeIgnored(workdir: string, { sources, projects }: NoteSources): readonly string[] {
  return [...describeUntrusted(workdir, sources), ...describeServers(workdir, projects)];
}

function describeUntrusted(workdir: string, sources: NoteSources['sources']): readonly string[] {
  const ignored = sources.ignored(workdir);
  if (ignored === undefined) return [];
  const { folder, names } = ignored;
  const [first = ''] = names;
  const what = names.length === 1 ? `${first} is` : `${first} and ${names.length - 1} more are`;
  return [`${what} not read: ${folder} is not trusted. To trust it: talaria trust ${quoteForShell(folder)}`];
}

function describeServers(workdir: string, projects: ProjectServersSource): readonly string[] {
  const found = projects.at(workdir);
  switch (found.type) {
    case 'changed':
      return [
        `${serversFile} in ${found.folder} is not as it was trusted, and none of its servers is used. To look at it and trust it: talaria trust ${quoteForShell(found.folder)}`,
      ];
    case 'broken':
      return [`${serversFile} in ${found.folder} is not used: ${found.problem}`];
    case 'none':
    case 'untrusted':
    case 'trusted':
      return [];
  }
}

function quoteForShell(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
