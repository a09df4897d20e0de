import { constants, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';

// Of macOS: no link is followed on the whole way. Node has no name for it.
const noFollowAny = 0x2000_0000;
const noLinks = constants.O_NOFOLLOW | (process.platform === 'darwin' ? noFollowAny : 0);

/**
 * Opens what stands at a real path, and nothing else: where a link has taken the place of the file, or of a folder on the
 * way to it, since the path was looked up and judged, this throws. Nor does it wait for the other end of a pipe.
 */
export async function openReal(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const file = await openUnlinked(path, flags);
  if (isAt(file, path)) return file;
  await file.close();
  throw moved(path);
}

/** All of a file, as it is at its real path. */
export async function readReal(path: string): Promise<Buffer> {
  await using file = await openReal(path);
  return await file.readFile();
}

async function openUnlinked(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | noLinks | constants.O_NONBLOCK);
  } catch (thrown) {
    throw systemErrorCode(thrown) === 'ELOOP' ? moved(path) : thrown;
  }
}

/** Linux cannot be asked to follow no link, but it tells where the way that it took has ended. */
function isAt({ fd }: FileHandle, path: string): boolean {
  if (process.platform !== 'linux') return true;
  const place = readlinkSync(`/proc/self/fd/${fd}`);
  // A file that was replaced or removed since then is still the one that was meant.
  return [place, place.replace(/ \(deleted\)$/, '')].some((each) => fold(each) === fold(path));
}

/** Some file systems take one name in several spellings, and give back the one that they have. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function moved(path: string): Error {
  return Object.assign(new Error(`${path} was moved meanwhile; look at it again`), { code: 'ELOOP' });
}
