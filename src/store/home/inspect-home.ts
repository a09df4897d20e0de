import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeError } from '../../base/errors.ts';
import type { HomeState } from '../../model/health.ts';
import { privateFileMode, privateFolderMode } from '../private-folder.ts';
import { decideFileSystem } from '../sqlite/file-system-kind.ts';
import { refuseUnsafeHome } from './home-folder.ts';
import type { HomeFolder } from './home-folder.ts';

/** Looks at a home, or where it would be. */
export function inspectHome(home: HomeFolder): HomeState {
  const folder = judgeFolder(home.path);
  const ofFolder = permissionsOf(home.path, privateFolderMode);
  const disk = statfsSync(nearestFolder(home.state));
  const kind = decideFileSystem(process.platform, disk.type);
  return {
    folder,
    // What is no home of ours is not ours to close.
    openToOthers: folder.type === 'there' ? [...ofFolder, ...permissionsOf(home.envFile, privateFileMode)] : [],
    sharedBy: kind.type === 'shared' ? kind.name : undefined,
    freeBytes: disk.bavail * disk.bsize,
  };
}

function judgeFolder(path: string): HomeState['folder'] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return { type: 'missing' };
  try {
    refuseUnsafeHome(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return { type: 'there' };
  } catch (thrown) {
    return { type: 'unusable', problem: describeError(thrown) };
  }
}

function permissionsOf(path: string, wanted: number): HomeState['openToOthers'] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const mode = found.mode & 0o777;
  return (mode & 0o077) === 0 ? [] : [{ path, mode, wanted }];
}

function nearestFolder(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined || dirname(path) === path ? path : nearestFolder(dirname(path));
}
