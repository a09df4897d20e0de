import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { mcpServersSchema } from '../../model/mcp-schema.ts';
import { mcpServers } from '../../model/mcp-settings.ts';
import type { McpPlace, McpServers, McpServerSettings } from '../../model/mcp-settings.ts';
import type { ProjectServers, ProjectServersSource, TrustedServers } from '../../model/project-servers.ts';
import { describeProblems } from '../../model/schema.ts';
import { stampOf } from '../home/file-stamp.ts';
import type { TrustedFolders } from '../home/trusted-folders.ts';
import { readTextFile } from '../read-text-file.ts';
import { findNearest } from './project-folders.ts';
import type { FoundInProject } from './project-folders.ts';

/** The name that other agents know it by, too. */
export const serversFile = '.mcp.json';

interface Looked {
  readonly stamp: string;
  readonly servers: ProjectServers;
}

const none: ProjectServers = { type: 'none' };

/**
 * The servers that projects name in `.mcp.json`. They are programs that run as the user, so that they count only as somebody
 * has looked at them: in a trusted folder, and with the very contents that the file had when it was trusted.
 */
export class FileProjectServers implements ProjectServersSource {
  readonly #trusted: Pick<TrustedFolders, 'around' | 'hasSeen' | 'stamp'>;
  readonly #looked = new Map<string, Looked>();

  constructor(trusted: Pick<TrustedFolders, 'around' | 'hasSeen' | 'stamp'>) {
    this.#trusted = trusted;
  }

  at(workdir: string): ProjectServers {
    const found = findNearest(workdir, serversFile);
    if (found === undefined) return none;
    const stamp = `${stampOf(found.path)} ${this.#trusted.stamp()}`;
    const known = this.#looked.get(found.path);
    if (known?.stamp === stamp) return known.servers;
    const servers = this.#judge(found);
    this.#looked.set(found.path, { stamp, servers });
    return servers;
  }

  trustedAt(workdir: string): TrustedServers | undefined {
    // Asked for every message. Where no folder around it is trusted, none needs to be looked at.
    if (this.#trusted.around(workdir).length === 0) return undefined;
    const found = this.at(workdir);
    return found.type === 'trusted' ? found : undefined;
  }

  #judge(found: FoundInProject): ProjectServers {
    const { folder, path } = found;
    if (this.#trusted.around(folder).length === 0) return { type: 'untrusted', folder };
    const read = readServers(found);
    if (read.type === 'broken') return read;
    if (!this.#trusted.hasSeen(path, read.digest)) return { type: 'changed', folder, digest: read.digest };
    return { type: 'trusted', folder, servers: read.servers };
  }
}

export type ReadServers =
  | { readonly type: 'read'; readonly digest: string; readonly servers: McpServers }
  | Extract<ProjectServers, { readonly type: 'broken' }>;

/** The servers of a file as it is now, whoever trusts it, and what it is known by. */
export function readServers({ folder, path }: FoundInProject): ReadServers {
  const found = readTextFile(path);
  const broken = (problem: string): ReadServers => ({ type: 'broken', folder, problem });
  if (found.type !== 'text') return broken(found.type === 'refused' ? found.problem : 'it is gone');
  const content = parseJson(found.text);
  const named = isJsonObject(content) ? content['mcpServers'] : undefined;
  if (named === undefined) return broken('it has no mcpServers');
  const parsed = mcpServersSchema.parse(named);
  if (parsed.type === 'invalid') return broken(describeProblems(parsed.problems));
  const servers = Object.entries(mcpServers(parsed.value)).map(
    ([name, server]) => [name, tame(server, folder)] as const,
  );
  return { type: 'read', digest: hash('sha256', found.text), servers: Object.fromEntries(servers) };
}

/** A project does not say which of its tools run without asking, and names no secret of ours. */
function tame(server: McpServerSettings, folder: string): McpServerSettings {
  return { ...server, place: placeIn(server.place, folder), trust: [] };
}

function placeIn(place: McpPlace, folder: string): McpPlace {
  switch (place.type) {
    case 'stdio':
      return { ...place, cwd: resolve(folder, place.cwd ?? '.') };
    case 'http':
      return { ...place, oauth: { ...place.oauth, clientSecretEnv: undefined } };
    case 'nowhere':
      return place;
  }
}
