import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { OutboundFile } from '../../model/channel.ts';
import { judgeSentSize } from '../../model/judge-sent-size.ts';
import type { Address } from '../../model/session.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { elsewhere, refuses, replyParameters, replyRefusal } from './post-text.ts';
import type { RichText } from './rich-text.ts';

export interface FilePost {
  readonly address: Address;
  readonly file: OutboundFile;
  /** Stands under it; empty for none. */
  readonly caption: RichText;
  /** The message of the same chat that it is a reply to. */
  readonly replyTo?: string;
}

/** What the Bot API takes from a bot as a picture. */
const mostPictureBytes = 10 * 1024 * 1024;

export type JudgedFile =
  | { readonly type: 'fit'; readonly as: OutboundFile['kind'] }
  | { readonly type: 'unfit'; readonly reason: string };

/** Whether a file can be sent as it stands on the disk now, and as what. */
export async function judgeFile({ path, kind }: OutboundFile): Promise<JudgedFile> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return { type: 'unfit', reason: 'it is not there any more' };
  const problem = judgeSentSize(found.size);
  if (problem !== undefined) return { type: 'unfit', reason: problem };
  // An upload that breaks off would be tried again and again.
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!isReadable) return { type: 'unfit', reason: 'there is no permission to read it' };
  return { type: 'fit', as: found.size > mostPictureBytes ? 'file' : kind };
}

/** Sends one file. A picture that Telegram will not show is sent as a file; a topic that is gone is left out. */
export async function sendFile(
  post: FilePost,
  as: OutboundFile['kind'],
  bot: BotApi,
  signal: AbortSignal,
): Promise<CallResult<number>> {
  const result = await send(post, as, bot, signal);
  if (result.type !== 'refused') return result;
  const address = elsewhere(post.address, result);
  if (address !== undefined || (post.replyTo !== undefined && refuses(result, replyRefusal))) {
    const { replyTo: _left, ...rest } = post;
    return await sendFile({ ...rest, address: address ?? post.address }, as, bot, signal);
  }
  return as === 'picture' && result.code === 400 ? await sendFile(post, 'file', bot, signal) : result;
}

async function send(
  { address, file, caption, replyTo }: FilePost,
  as: OutboundFile['kind'],
  bot: BotApi,
  signal: AbortSignal,
): Promise<CallResult<number>> {
  const { InputFile } = await import('grammy');
  const other = {
    ...(caption.text !== '' && { caption: caption.text, caption_entities: [...caption.entities] }),
    ...(address.thread !== '' && { message_thread_id: Number(address.thread) }),
    ...replyParameters(replyTo),
  };
  const result = await bot.upload<{ readonly message_id: number }>((api, stop) => {
    const input = new InputFile(file.path, file.name);
    return as === 'picture'
      ? api.sendPhoto(address.chat, input, other, stop)
      : api.sendDocument(address.chat, input, { ...other, disable_content_type_detection: true }, stop);
  }, signal);
  return result.type === 'done' ? { type: 'done', value: result.value.message_id } : result;
}
