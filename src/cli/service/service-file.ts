import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import { ownMark } from './service-keeper.ts';
import type { ServiceFacts, ServiceState } from './service-keeper.ts';

/** Ends in a digest of the home where that is not the usual one, so that each home can have a service. Pure. */
export function serviceName(base: string, { home, userHome }: ServiceFacts): string {
  if (home === join(userHome, '.talaria')) return base;
  return `${base}-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;
}

export async function compareFile(
  path: string,
  wanted: string,
  { drainFrom }: Pick<ServiceFacts, 'drainFrom'>,
): Promise<ServiceState['file']> {
  const found = await readIfThere(path);
  if (found === undefined) return 'none';
  if (!found.includes(ownMark)) return 'foreign';
  const bare = drainFrom === 'settings' ? withoutShell : (text: string): string => withoutShell(withoutDrain(text));
  return bare(found) === bare(wanted) ? 'current' : 'outdated';
}

/** What comes from the shell that it was installed from is no sign of age: it differs from one shell to the next. */
function withoutShell(text: string): string {
  return text
    .replaceAll(/^Environment="(?:PATH|LANG)=.*\n/gm, '')
    .replaceAll(/<key>(?:PATH|LANG)<\/key>\s*<string>[^<]*<\/string>\s*/g, '');
}

function withoutDrain(text: string): string {
  return text
    .replaceAll(/^(?:TimeoutStopSec=|Environment="TALARIA_LONGEST_DRAIN=).*\n/gm, '')
    .replaceAll(/<key>TALARIA_LONGEST_DRAIN<\/key>\s*<string>[^<]*<\/string>\s*/g, '')
    .replaceAll(/<key>ExitTimeOut<\/key>\s*<integer>[^<]*<\/integer>\s*/g, '');
}

/** Replaces the file as a whole. One that someone else wrote is not touched. */
export async function writeServiceFile(path: string, text: string): Promise<void> {
  await refuseForeign(path);
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  await writeFile(partial, text, { mode: 0o644 });
  await rename(partial, path);
}

export async function removeServiceFile(path: string): Promise<void> {
  await refuseForeign(path);
  await rm(path, { force: true });
}

export async function refuseForeign(path: string): Promise<void> {
  const found = await readIfThere(path);
  if (found !== undefined && !found.includes(ownMark))
    throw new AppError('unsupported', `${path} was not written by this program, and is left as it is`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
