import { quoteForShell } from '../base/quote-for-shell.ts';
import { describeIgnoredServers } from '../model/project-servers.ts';
import type { IgnoredServers, ProjectServers, ProjectServersSource } from '../model/project-servers.ts';
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
  return [`${what} not read: ${folder} is not trusted. To trust it: ${trustCommand(folder)}`];
}

function describeServers(workdir: string, projects: ProjectServersSource): readonly string[] {
  const found = projects.at(workdir);
  const ignored = findIgnored(found);
  // That a folder is not trusted is said of all its files at once.
  if (ignored === undefined || found.type === 'untrusted') return [];
  return [describeIgnoredServers(ignored)];
}

/** What there is to say about the servers of a project; undefined where they count, or there are none. Pure. */
export function findIgnored(found: ProjectServers): IgnoredServers | undefined {
  const name = serversFile;
  switch (found.type) {
    case 'none':
    case 'trusted':
      return undefined;
    case 'untrusted':
      return { name, folder: found.folder, reason: 'the folder is not trusted', fix: trustCommand(found.folder) };
    case 'changed':
      return { name, folder: found.folder, reason: 'it is not as it was trusted', fix: trustCommand(found.folder) };
    case 'broken':
      return { name, folder: found.folder, reason: found.problem, fix: undefined };
  }
}

function trustCommand(folder: string): string {
  return `talaria trust ${quoteForShell(folder)}`;
}
