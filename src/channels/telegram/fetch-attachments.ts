import type { Update } from 'grammy/types';
import { describeError } from '../../base/errors.ts';
import type { PersonId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Inbound } from '../../model/channel.ts';
import { judgeImage } from '../../model/image.ts';
import type { GivenImage } from '../../model/image.ts';
import { textPart } from '../../model/message.ts';
import type { Address } from '../../model/session.ts';
import type { Recording, Transcribe } from '../../model/speech.ts';
import { listAttachments } from './attachments.ts';
import type { AttachedFile, Attachment } from './attachments.ts';
import type { BotApi } from './bot-api.ts';

/** A file that someone sent. Nothing of it is fetched before it is read. */
export interface IncomingFile {
  readonly address: Address;
  readonly person: PersonId;
  /** The folder that a new session at the address works in. */
  readonly workdir: string;
  /** A plain word, without folders, that is the same for the same file. */
  readonly name: string;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** What is done with pictures and files. */
export interface AttachmentPolicy {
  /** Whose are fetched: whoever has no access yet could otherwise fill the disk. */
  readonly accepts: (person: PersonId) => Promise<boolean>;
  /** Keeps a file and says where tools find it; left out: files are only described. */
  readonly save?: (file: IncomingFile, signal: AbortSignal) => Promise<string>;
  /** Writes down what a voice note says that was kept; undefined where nobody can. */
  readonly transcribe?: () => Transcribe | undefined;
}

export interface FetchDeps {
  readonly bot: BotApi;
  readonly attachments?: AttachmentPolicy;
  readonly log: Log;
}

interface Fetched {
  readonly image?: GivenImage;
  readonly line?: string;
}

/** Telegram hands bots no more than this. */
const mostBytes = 20_000_000;
/** Beyond this no model is shown a picture, and it need not be held in memory. */
const mostPictureBytes = 8_000_000;

/**
 * Adds to a message the pictures that a model can be shown, and where its files are kept. What cannot be had is said so;
 * the message arrives all the same.
 */
export async function fetchAttachments(
  inbound: Inbound,
  update: Update,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Inbound> {
  const attachments = filesIn(update);
  if (inbound.type !== 'message' || attachments.length === 0 || deps.attachments === undefined) return inbound;
  const fetched: Fetched[] = [];
  for (const attachment of attachments) fetched.push(await fetchOrSayWhyNot(attachment, inbound, deps, signal));
  const lines = fetched.flatMap(({ line }) => (line === undefined ? [] : [textPart(line)]));
  const images = fetched.flatMap(({ image }) => (image === undefined ? [] : [image]));
  return { ...inbound, parts: [...inbound.parts, ...lines], ...(images.length > 0 && { images }) };
}

/** What came with an update and can be fetched. */
export function filesIn({ message, edited_message: edited }: Update): readonly Attachment[] {
  const found = message ?? edited;
  return found === undefined ? [] : listAttachments(found).filter(({ file }) => file !== undefined);
}

async function fetchOrSayWhyNot(
  { kind, file }: Attachment,
  inbound: Extract<Inbound, { readonly type: 'message' }>,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Fetched> {
  const { bot, attachments, log } = deps;
  if (file === undefined) return {};
  try {
    if ((await attachments?.accepts(inbound.person)) !== true) return {};
    if ((file.size ?? 0) > mostBytes)
      return { line: `[the ${kind} was not fetched: Telegram hands bots 20 MB at most]` };
    const { image, read } = await fetchImage(file, bot, signal);
    const { address, person, workdir } = inbound;
    const { name, mediaType, size } = file;
    const path = await attachments?.save?.({ address, person, workdir, name, mediaType, size, read }, signal);
    if (path === undefined) return { ...(image && { image }) };
    const heard =
      kind === 'voice note' ? await listen({ path, name, mediaType: mediaType ?? 'audio/ogg' }, deps, signal) : '';
    return { ...(image && { image }), line: `[the ${kind} is kept in ${path}]${heard}` };
  } catch (thrown) {
    const reason = bot.redact(describeError(thrown));
    log.write('warn', 'a file from Telegram was not fetched', { reason });
    return { line: `[the ${kind} was not fetched: ${reason}]` };
  }
}

/** What a voice note says, marked as what a machine heard: it may have heard wrong. */
async function listen(recording: Recording, { attachments, log }: FetchDeps, signal: AbortSignal): Promise<string> {
  const transcribe = attachments?.transcribe?.();
  if (transcribe === undefined) return '';
  const transcript = await transcribe(recording, signal);
  if (transcript.type === 'transcribed') {
    return transcript.text === ''
      ? '\n[nothing was heard in it]'
      : `\n[its transcript, made by a machine:]\n${transcript.text}`;
  }
  log.write('warn', 'a voice note was not transcribed', { reason: transcript.reason });
  return `\n[it could not be transcribed: ${transcript.reason}]`;
}

interface ReadableFile {
  readonly image: GivenImage | undefined;
  readonly read: IncomingFile['read'];
}

/** A picture is read at once, and what no model can be shown is left a file. */
async function fetchImage(
  { id, name, mediaType, size }: AttachedFile,
  bot: BotApi,
  signal: AbortSignal,
): Promise<ReadableFile> {
  const read = (): AsyncIterable<Uint8Array> => bot.download(id, mostBytes, signal);
  if (mediaType?.startsWith('image/') !== true || (size ?? 0) > mostPictureBytes) return { image: undefined, read };
  const bytes = Buffer.concat(await Array.fromAsync(read()));
  const image: GivenImage = { bytes, name };
  return { image: judgeImage(image).type === 'image' ? image : undefined, read: () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield await Promise.resolve(bytes);
}
