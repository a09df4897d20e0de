import type { InlineKeyboardMarkup, ReplyParameters } from 'grammy/types';
import type { Address } from '../../model/session.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import type { RichText } from './rich-text.ts';

export interface TextPost {
  readonly address: Address;
  readonly rich: RichText;
  readonly buttons?: InlineKeyboardMarkup;
  /** The message of the same chat that it is a reply to. */
  readonly replyTo?: string;
}

/** The id of a message in its chat. */
type Posted = CallResult<number>;

/** Sends one message. Styles that Telegram refuses, a topic that is gone, and what it replied to, are left out rather than the message. */
export async function sendText(post: TextPost, bot: BotApi, signal: AbortSignal): Promise<Posted> {
  const result = await send(post, bot, signal);
  if (result.type !== 'refused') return result;
  if (refuses(result, styleRefusal) && post.rich.entities.length > 0) {
    return await sendText(withoutStyles(post), bot, signal);
  }
  const address = elsewhere(post.address, result);
  // What it answers stays behind; and one that is gone must not take the answer with it.
  if (address === undefined && !(post.replyTo !== undefined && refuses(result, replyRefusal))) return result;
  const { replyTo: _left, ...rest } = post;
  return await sendText({ ...rest, address: address ?? post.address }, bot, signal);
}

/** Where a message goes that was refused where it was meant to go: the topic is gone, or the group has moved. */
export function elsewhere(
  address: Address,
  result: Extract<CallResult<unknown>, { readonly type: 'refused' }>,
): Address | undefined {
  if (refuses(result, threadRefusal) && address.thread !== '') return { ...address, thread: '' };
  const moved = result.parameters.migrate_to_chat_id;
  return moved === undefined || String(moved) === address.chat ? undefined : { ...address, chat: String(moved) };
}

/** Changes one message. It may be repeated without harm: a message that already is as wanted counts as changed. */
export async function editText(post: TextPost, messageId: number, bot: BotApi, signal: AbortSignal): Promise<Posted> {
  const { address, rich, buttons } = post;
  const other = { ...styles(rich), ...(buttons && { reply_markup: buttons }) };
  const result = await bot.act(
    (api, stop) => api.editMessageText(address.chat, messageId, rich.text, other, stop),
    signal,
  );
  if (result.type === 'done' || refuses(result, unmodified)) return { type: 'done', value: messageId };
  if (refuses(result, styleRefusal) && rich.entities.length > 0) {
    return await editText(withoutStyles(post), messageId, bot, signal);
  }
  return result;
}

// The API tells these apart by its words alone.
const styleRefusal = /can't parse entities|\bentity\b|ENTIT(Y|IES)_/i;
const threadRefusal = /message thread not found|TOPIC_DELETED/i;
/** Telegram leaves the reply out by itself where the message is gone, but not where it was in another topic. */
export const replyRefusal = /repl(y|ied) (message )?not found|REPLY_MESSAGE_ID_INVALID/i;
const unmodified = /message is not modified/i;

/** Too long after all: the platform counts, not we. */
export const lengthRefusal = /message is too long|MESSAGE_TOO_LONG/i;

export function refuses(result: CallResult<unknown>, pattern: RegExp): boolean {
  return result.type === 'refused' && result.code === 400 && pattern.test(result.reason);
}

async function send({ address, rich, buttons, replyTo }: TextPost, bot: BotApi, signal: AbortSignal): Promise<Posted> {
  const other = {
    ...styles(rich),
    ...(address.thread !== '' && { message_thread_id: Number(address.thread) }),
    ...(buttons && { reply_markup: buttons }),
    ...replyParameters(replyTo),
  };
  const result = await bot.act((api, stop) => api.sendMessage(address.chat, rich.text, other, stop), signal);
  return result.type === 'done' ? { type: 'done', value: result.value.message_id } : result;
}

/** A message that was deleted meanwhile is answered all the same. */
export function replyParameters(replyTo: string | undefined): { reply_parameters?: ReplyParameters } {
  if (replyTo === undefined) return {};
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

function styles({ entities }: RichText): object {
  return { link_preview_options: { is_disabled: true }, ...(entities.length > 0 && { entities }) };
}

function withoutStyles(post: TextPost): TextPost {
  return { ...post, rich: { text: post.rich.text, entities: [] } };
}
