import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isInside } from '../base/is-inside.ts';
import { silentLog } from '../base/log.ts';
import type { McpPlace } from '../model/mcp-settings.ts';
import type { Distrusting, SeenFolder, TrustDesk } from '../model/trust.ts';
import { openHome } from '../store/home/home-folder.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import { realFolder, TrustedFolders } from '../store/home/trusted-folders.ts';
import { findNearest } from '../store/project/project-folders.ts';
import { readServers, serversFile } from '../store/project/project-servers.ts';
import { findContext, readContext } from '../store/prompt/context-files.ts';
import { FilePromptSources } from '../store/prompt/prompt-sources.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Which folders are trusted, without opening the store: a program that runs takes it up with its next message. */
export async function openTrustDesk({ env, clock }: Around): Promise<TrustDesk> {
  const home = await openHome(env);
  const trusted = new TrustedFolders(home.trustFile);
  const userHome = realFolder(env['HOME'] ?? homedir()) ?? homedir();
  return {
    list: () => trusted.list(),
    async look(folder, breadth) {
      const path = requireFolder(folder);
      const reason = breadth === 'everything' ? undefined : whySweeping(path, userHome);
      return reason === undefined ? await lookAt(path, home, trusted) : { type: 'sweeping', path, reason };
    },
    async trust({ path, serversFile: seen }) {
      if (!isListed(path, trusted)) await trusted.add({ path, since: clock.now() });
      if (seen !== undefined) await trusted.noteSeen(seen);
    },
    distrust: (folder) => distrust(folder, trusted),
  };
}

function requireFolder(folder: string): string {
  const path = realFolder(folder);
  if (path === undefined) throw new AppError('not-found', `there is no folder ${folder}`);
  return path;
}

/** Why nobody trusts this folder in passing; undefined where it is a folder like any other. */
function whySweeping(path: string, userHome: string): string | undefined {
  if (path === resolve(path, '..')) return 'it is the root of the file system, and everything is below it';
  if (path === userHome) return 'it is your home folder, with everything that you ever download below it';
  if (isInside(userHome, path)) return 'your home folder is in it, with everything that you ever download';
  return (statSync(path).mode & 0o002) === 0 ? undefined : 'every user of this machine can write there';
}

async function lookAt(path: string, home: HomeFolder, trusted: TrustedFolders): Promise<SeenFolder> {
  const then = trustedWith(path, trusted);
  const seen = seeServers(path, then);
  const file = seen.serversFile;
  const isAsSeen = file === undefined || trusted.hasSeen(file.path, file.digest);
  const state = !isListed(path, trusted) ? 'new' : isAsSeen ? 'known' : 'changed';
  const skills = await listProjectSkills(path, home, then);
  return { type: 'seen', path, state, files: readNow(path, then), skills, ...seen };
}

function isListed(path: string, trusted: TrustedFolders): boolean {
  return trusted.list().some((each) => each.path === path);
}

type Trusted = Pick<TrustedFolders, 'around'>;

/** The trusted folders as they would be with one more. */
function trustedWith(path: string, trusted: TrustedFolders): Trusted {
  return {
    around: (folder) => {
      const real = realFolder(folder);
      return [...trusted.around(folder), ...(real !== undefined && isInside(real, path) ? [path] : [])];
    },
  };
}

function readNow(path: string, trusted: Trusted): SeenFolder['files'] {
  const found = findContext(path);
  if (found === undefined) return [];
  const isTrusted = (folder: string): boolean => trusted.around(folder).length > 0;
  return readContext(found, isTrusted, () => undefined);
}

type SeenServers = Pick<SeenFolder, 'servers' | 'serversProblem' | 'serversFile'>;

/** What the file says now is what is shown, and what counts once it is trusted. */
function seeServers(path: string, trusted: Trusted): SeenServers {
  const found = findNearest(path, serversFile);
  const none = { servers: [], serversProblem: undefined, serversFile: undefined };
  if (found === undefined || trusted.around(found.folder).length === 0) return none;
  const read = readServers(found);
  if (read.type === 'broken') return { ...none, serversProblem: read.problem };
  const servers = Object.entries(read.servers).map(([name, { place }]) => ({ name, place: describePlace(place) }));
  return { ...none, servers, serversFile: { path: found.path, digest: read.digest } };
}

/** All that decides what runs: a variable can make another program of it. */
function describePlace(place: McpPlace): string {
  switch (place.type) {
    case 'stdio': {
      const variables = Object.entries(place.env).map(([name, value]) => `${name}=${quote(value)}`);
      return [...variables, ...[place.command, ...place.args].map(quote), `(in ${place.cwd ?? ''})`].join(' ');
    }
    case 'http':
      return place.url;
    case 'nowhere':
      return 'nowhere';
  }
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

async function listProjectSkills(path: string, home: HomeFolder, trusted: Trusted): Promise<readonly string[]> {
  const material = await new FilePromptSources(home, trusted, silentLog).read(path);
  return material.projectSkills?.skills.map(({ name }) => name) ?? [];
}

/** A folder that is gone by now is found by its name. */
async function distrust(folder: string, trusted: TrustedFolders): Promise<Distrusting> {
  const path = realFolder(folder) ?? resolve(folder);
  const wasListed = isListed(path, trusted);
  if (wasListed) await trusted.remove(path);
  const through = trusted.list().find((each) => isInside(path, each.path));
  return { path, wasListed, through: through?.path };
}
