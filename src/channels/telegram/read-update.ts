import { hash } from 'node:crypto';
import type { Message, Update } from 'grammy/types';
import type { PersonId } from '../../base/ids.ts';
import type { Inbound } from '../../model/channel.ts';
import { textPart } from '../../model/message.ts';
import type { Address, MemberSessions } from '../../model/session.ts';
import { readAddressed } from './addressed.ts';
import type { BotIdentity } from './addressed.ts';
import { readButton } from './button-data.ts';
import { describeAttachment, listAttachments } from './attachments.ts';
import { personName } from './person-name.ts';

export const platform = 'telegram';

export interface UpdateReading {
  readonly bot: BotIdentity;
  /** Whom the bot listens to in groups: those who speak to it, everyone, or nobody. */
  readonly groups: 'addressed' | 'all' | 'off';
  readonly memberSessions: MemberSessions;
  readonly workdir: string;
}

type AnyMessage = NonNullable<NonNullable<Update['callback_query']>['message']>;
type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

const longestQuote = 500;
const longestName = 64;

/** What a person did, or undefined where an update is nothing for us. Pure. */
export function readUpdate(update: Update, reading: UpdateReading): Inbound | undefined {
  if (update.callback_query) return readPress(update.callback_query, reading);
  if (update.edited_message)
    return isMoving(update.edited_message) ? undefined : readMessage(update.edited_message, reading);
  return update.message && readMessage(update.message, reading);
}

/** A position that is shared for a while comes as an edit with every step: nobody says anything by it. */
function isMoving({ location }: Message): boolean {
  return location !== undefined;
}

function readPress(query: NonNullable<Update['callback_query']>, reading: UpdateReading): Inbound | undefined {
  const press = query.data === undefined ? undefined : readButton(query.data);
  if (press === undefined || query.message === undefined || query.from.is_bot) return undefined;
  const person = `${platform}:${query.from.id}` as PersonId;
  const address = addressOf(query.message, person, reading);
  const pressed = { address, person, press: query.id };
  if ('choice' in press) return { type: 'choice', ...pressed, ...press };
  return { type: 'answer', ...pressed, ...press };
}

function readMessage(message: Message, reading: UpdateReading): InboundMessage | undefined {
  const { bot, groups, workdir } = reading;
  const person = personOf(message);
  const isGroup = message.chat.type !== 'private';
  if (person === undefined || (isGroup && groups === 'off')) return undefined;
  const { said, isAddressed } = readAddressed(message, bot);
  if (isGroup && groups === 'addressed' && !isAddressed) return undefined;
  const address = addressOf(message, person, reading);
  const text = compose(message, said, isGroup && address.member === undefined ? 'shared' : 'own');
  if (text === '') return undefined;
  const { account, chat } = address;
  const key = { platform, account, chat, messageId: String(message.message_id), revision: revisionOf(message, text) };
  // Whoever writes in the name of a chat has no name of their own here.
  const name = message.from && message.sender_chat === undefined ? personName(message.from) : undefined;
  const sender = { person, ...(name && { name }) };
  return {
    type: 'message',
    key,
    address,
    ...sender,
    parts: [textPart(text)],
    answeredBy: answeredBy(message),
    workdir,
  };
}

/** Where one person talks, most of what comes answers what was said last: a mark on each of it would say nothing. */
function answeredBy({ chat }: Message): NonNullable<InboundMessage['answeredBy']> {
  return chat.type === 'private' ? 'reply-if-it-waited' : 'reply';
}

const marks = 2 ** 20;

/**
 * Telegram's dates are whole seconds, and two edits may fall into one: what they say tells them apart. The number of the
 * update would not do, since Telegram also sends one for changes of what a bot never sees, and those are no edit.
 */
function revisionOf(message: Message, text: string): number {
  const { edit_date: editedAt } = message;
  if (editedAt === undefined) return 0;
  const files = listAttachments(message).map(({ file }) => file?.name ?? '');
  const mark = hash('sha256', JSON.stringify([text, files]), 'buffer').readUInt32BE() % marks;
  return editedAt * marks + mark;
}

/** Who wrote, by ids that nobody can choose. Who writes in the name of a chat is that chat; bots and channels are nobody. */
function personOf({ from, sender_chat: sender, chat }: Message): PersonId | undefined {
  if (chat.type === 'channel') return undefined;
  if (sender !== undefined) return `${platform}:chat:${sender.id}` as PersonId;
  return from === undefined || from.is_bot ? undefined : (`${platform}:${from.id}` as PersonId);
}

/** Where a message stands. Outside of topics the thread of a message is only a chain of replies. */
export function placeOf(message: AnyMessage): Pick<Address, 'chat' | 'thread'> {
  const isInTopic = 'is_topic_message' in message && message.is_topic_message;
  return { chat: String(message.chat.id), thread: isInTopic ? String(message.message_thread_id ?? '') : '' };
}

function addressOf(message: AnyMessage, person: PersonId, { bot, memberSessions }: UpdateReading): Address {
  const { chat, thread } = placeOf(message);
  const { inGroups, inThreads } = memberSessions;
  const isOwn = message.chat.type !== 'private' && (thread === '' ? inGroups : inThreads);
  return { platform, account: bot.id, chat, thread, ...(isOwn && { member: person }) };
}

/** The message as the model reads it: where several people speak, with a name. A command stays as it is, so that it is one. */
function compose(message: Message, said: string, conversation: 'shared' | 'own'): string {
  const isEdited = message.edit_date !== undefined;
  const content = [...listAttachments(message).map(describeAttachment), said].filter((text) => text !== '').join('\n');
  const origin = originOf(message);
  if (content === '' || (content.startsWith('/') && !isEdited && origin === '')) return content;
  const speaker = conversation === 'shared' ? `${nameOf(message)}: ` : '';
  return `${quoteOf(message)}${isEdited ? '[edited] ' : ''}${speaker}${origin}${content}`;
}

/** What is handed on was said by someone else, and commands nothing. */
function originOf({ forward_origin: origin }: Message): string {
  if (origin === undefined) return '';
  switch (origin.type) {
    case 'user':
      return `[forwarded from ${oneLine(origin.sender_user.first_name)}]\n`;
    case 'hidden_user':
      return `[forwarded from ${oneLine(origin.sender_user_name)}]\n`;
    case 'chat':
      return `[forwarded from ${oneLine(origin.sender_chat.title ?? 'a chat')}]\n`;
    case 'channel':
      return `[forwarded from ${oneLine(origin.chat.title)}]\n`;
  }
}

function nameOf({ from, sender_chat: sender }: Message): string {
  const name = sender?.title ?? [from?.first_name, from?.last_name].filter((part) => part !== undefined).join(' ');
  return oneLine(name);
}

/** A name is chosen by its bearer; on one line, and short, it cannot pass for anything else. */
function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ').slice(0, longestName).toWellFormed().trim();
}

function quoteOf({ reply_to_message: original, quote }: Message): string {
  const text = (quote?.text ?? original?.text ?? original?.caption ?? '').trim();
  if (text === '') return '';
  const shortened = text.length > longestQuote ? `${text.slice(0, longestQuote).toWellFormed()}…` : text;
  return `[in reply to: ${shortened}]\n`;
}
