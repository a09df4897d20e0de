import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { homePath } from '../../base/home-path.ts';
import { ensurePrivateFolder, refuseForeignOwner } from '../private-folder.ts';

/** Where everything of one user is kept. The folders of the program itself exist and are closed to others. */
export interface HomeFolder {
  readonly path: string;
  readonly configFile: string;
  readonly configJsonFile: string;
  readonly envFile: string;
  /** The database, and what else the program keeps for itself. */
  readonly state: string;
  readonly tasks: string;
  /** What people sent and tools brought, in one folder for each session. Tools can read it. */
  readonly files: string;
  readonly logs: string;
  readonly cache: string;
  /** One folder for each skill. Made by whoever has one. */
  readonly skills: string;
  /** The list of trusted folders. */
  readonly trustFile: string;
  /** What was allowed for good. */
  readonly rulesFile: string;
  /** What stands in chats only while a run of the program is behind it. */
  readonly liveMessagesFile: string;
  /** The logins at MCP servers. Made with the first of them. */
  readonly mcpLogins: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownFolders = { state: 'state', tasks: 'tasks', files: 'files', logs: 'logs', cache: 'cache' } as const;
const ownFiles: ReadonlySet<string> = new Set([
  'config.yaml',
  'config.json',
  '.env',
  'SOUL.md',
  'MEMORY.md',
  'USER.md',
  'skills',
]);

/** Opens the home, `$TALARIA_HOME` or `~/.talaria`, and makes it on the first start. */
export async function openHome(env: Environment): Promise<HomeFolder> {
  const home = homeAt(env);
  refuseUnsafeHome(home.path);
  ensurePrivateFolder(home.path);
  for (const name of Object.values(ownFolders)) ensurePrivateFolder(join(home.path, name));
  return home;
}

/** Where the home is or would be. Nothing is made, and nothing of it is promised. */
export function homeAt(env: Environment): HomeFolder {
  const path = homePath(env);
  return {
    path,
    configFile: join(path, 'config.yaml'),
    configJsonFile: join(path, 'config.json'),
    envFile: join(path, '.env'),
    state: join(path, ownFolders.state),
    tasks: join(path, ownFolders.tasks),
    files: join(path, ownFolders.files),
    logs: join(path, ownFolders.logs),
    cache: join(path, ownFolders.cache),
    skills: join(path, 'skills'),
    trustFile: join(path, ownFolders.state, 'trusted-folders.json'),
    rulesFile: join(path, ownFolders.state, 'standing-rules.json'),
    liveMessagesFile: join(path, ownFolders.state, 'live-messages.json'),
    mcpLogins: join(path, ownFolders.state, 'mcp-logins'),
  };
}

/** Throws `unsafe-home` for a folder that must not be taken for a home. One that does not exist yet is as good as any. */
export function refuseUnsafeHome(path: string): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return;
  // Whoever owns a link can point it elsewhere at any time.
  refuseForeignOwner(path, entry);
  const folder = statSync(path, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true) throw new AppError('unsafe-home', `${path} is not a folder`);
  refuseForeignOwner(path, folder);
  // Closing it to others is right for a folder of ours, and harm done to /tmp or a shared project.
  if ((folder.mode & 0o077) !== 0 && !looksLikeOurs(path))
    throw new AppError('unsafe-home', `${path} holds other things and is open to other users; choose another folder`);
}

/** Names such as `cache` and `state` are not ours alone: either there is nothing else, or our database is there. */
function looksLikeOurs(path: string): boolean {
  const isOurs = (name: string): boolean => name in ownFolders || ownFiles.has(name);
  return readdirSync(path).every(isOurs) || existsSync(join(path, ownFolders.state, 'talaria.db'));
}
