import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../base/is-inside.ts';
import { realPath } from '../real-path.ts';
import { findGuardedFiles } from './guarded-files.ts';

export interface ViewOptions {
  /** The folder that the session was opened in, with all links followed: the one that may be written to. */
  readonly workdir: string;
  /** The project around it, which is seen as a whole, also by who works in a part of it. */
  readonly project: string | undefined;
  readonly userHome: string;
  /** Folders of programs outside of those of the system. */
  readonly toolFolders: readonly string[];
  /** Talaria's own, which are never seen. */
  readonly ownFolders: readonly string[];
  /** What takes the place of `/tmp` and of `~/.cache`. */
  readonly privateFolder: string;
  /** Files that are seen under other names, where they exist. */
  readonly given: readonly { readonly from: string; readonly to: string }[];
  readonly network: 'none' | 'shared';
}

/** The private places of a session, as they are called inside, by the name of the folder that is in their place. */
export function privatePlaces(userHome: string): Readonly<Record<'tmp' | 'cache', string>> {
  return { tmp: '/tmp', cache: join(userHome, '.cache') };
}

/** The folders of the system that are seen as they are. */
export const systemFolders: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
  '/run/current-system',
];

// The super-user could change the running system by these without any capability, since most of it only looks at his number.
const controls: readonly string[] = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr'];

// Nobody but the super-user can read these, and he may be the one that we run as.
const secretsOfSystem: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
];
const secretFoldersOfSystem: readonly string[] = [
  '/etc/NetworkManager/system-connections',
  '/etc/letsencrypt',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/sudoers.d',
  '/etc/wireguard',
];

/** What a command sees, as arguments of bubblewrap. Nothing but this exists for it. Later ones are laid over earlier ones. */
export function viewArguments(options: ViewOptions): readonly string[] {
  const { workdir, project, userHome, privateFolder, given } = options;
  const shown = [...systemFolders, ...(project === undefined ? [] : [project]), workdir];
  const toolFolders = options.toolFolders.filter((folder) => !isWithin(folder, shown));
  const places = privatePlaces(userHome);
  return [
    systemFolders.flatMap(showSystem),
    ['--dev', '/dev', '--proc', '/proc'],
    controls.flatMap((name) => show(`/proc/${name}`)),
    secretsOfSystem.filter((path) => existsSync(path)).flatMap(hideFile),
    secretFoldersOfSystem.filter((path) => existsSync(path)).flatMap(hideFolder),
    ['--symlink', '/tmp', '/var/tmp', '--bind', join(privateFolder, 'tmp'), places.tmp],
    ['--tmpfs', userHome, '--bind', join(privateFolder, 'cache'), places.cache],
    toolFolders.flatMap(show),
    options.network === 'shared' ? showNameServers() : [],
    project === undefined ? [] : [...show(project), ...guard(project)],
    ['--bind', workdir, workdir, ...guard(workdir)],
    outermost(options.ownFolders.filter((folder) => isWithin(folder, [...shown, ...toolFolders]))).flatMap(hideFolder),
    given.flatMap(({ from, to }) => ['--ro-bind-try', from, to]),
    ['--remount-ro', userHome, '--remount-ro', '/'],
  ].flat();
}

/** What is in a hidden folder is hidden with it, and is nowhere to be hidden itself. */
function outermost(folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, [other])));
}

/** Some of these are links to others. */
function showSystem(folder: string): readonly string[] {
  const file = lstatSync(folder, { throwIfNoEntry: false });
  if (file === undefined) return [];
  return file.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : show(folder);
}

/** Their list is often kept among the sockets of the system, of which nothing else is seen. */
function showNameServers(): readonly string[] {
  const list = realPath('/etc/resolv.conf');
  return isWithin(list, systemFolders) ? [] : show(list);
}

function guard(folder: string): readonly string[] {
  const { readOnly, hiddenFiles, hiddenFolders } = findGuardedFiles(folder);
  return [...readOnly.flatMap(show), ...hiddenFiles.flatMap(hideFile), ...hiddenFolders.flatMap(hideFolder)];
}

/** Whether a path is one of these folders, or in one. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function show(path: string): readonly string[] {
  return ['--ro-bind-try', path, path];
}

function hideFile(path: string): readonly string[] {
  return ['--ro-bind', '/dev/null', path];
}

function hideFolder(path: string): readonly string[] {
  return ['--tmpfs', path, '--remount-ro', path];
}
