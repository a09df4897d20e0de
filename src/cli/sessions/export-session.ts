import { AppError, systemErrorCode } from '../../base/errors.ts';
import type { BlobId } from '../../base/ids.ts';
import type { Part } from '../../model/message.ts';
import type { Session } from '../../model/session.ts';
import type { Blobs } from '../../model/store.ts';
import type { LoggedEntry, TurnEntry } from '../../model/turn.ts';
import type { Arguments, CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findSession } from '../find-session.ts';
import { renderMarkdown } from './markdown.ts';

export const exportSession: CommandFunction = async (args, deps) => {
  const format = readFormat(args);
  const file = args.value('output');
  await using app = await deps.openApp({ purpose: 'look' });
  const session = await findSession(args.words[0] ?? '', app.store.sessions);
  const entries = await app.store.turns.after(session.id, 0);
  const blobs = await readBlobs(session, entries, app.store.blobs);
  const text =
    format === 'json'
      ? `${JSON.stringify({ session, entries, blobs }, undefined, 2)}\n`
      : renderMarkdown(session, entries, blobs);
  if (file === undefined) deps.process.stdout.write(text);
  else await writePrivately(file, text, args.has('force') ? 'replace' : 'keep');
  return exitCodes.done;
};

function readFormat(args: Arguments): 'markdown' | 'json' {
  const format = args.value('format') ?? 'markdown';
  if (format === 'markdown' || format === 'md') return 'markdown';
  if (format === 'json') return 'json';
  throw new AppError('bad-usage', `--format is markdown or json, not "${format}"`);
}

/** What was too large for the log, by the ids that stand for it there. */
async function readBlobs(
  { id }: Session,
  entries: readonly LoggedEntry[],
  blobs: Pick<Blobs, 'read'>,
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const blob of entries.flatMap(({ entry }) => blobsIn(entry))) texts[blob] = (await blobs.read(id, blob)) ?? '';
  return texts;
}

function blobsIn(entry: TurnEntry): readonly BlobId[] {
  return partsIn(entry).flatMap((part) => (part.type === 'text' ? [] : [part.blob]));
}

function partsIn(entry: TurnEntry): readonly Part[] {
  if (entry.type === 'turn.admitted' || entry.type === 'turn.steered') return entry.parts;
  if (entry.type === 'step.finished') return entry.message.parts;
  return entry.type === 'tool.settled' && entry.outcome.type === 'done' ? entry.outcome.parts : [];
}

/** A conversation is as private outside the home as in it. */
async function writePrivately(file: string, text: string, existing: 'keep' | 'replace'): Promise<void> {
  const { chmod, stat, writeFile } = await import('node:fs/promises');
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
    const isFile = (await stat(file)).isFile();
    if (isFile && existing === 'keep') {
      throw new AppError('bad-usage', `${file} exists; --force replaces it`, { cause: thrown });
    }
    if (isFile) await chmod(file, 0o600);
    await writeFile(file, text);
  }
}
