import type { Message, MessageEntity } from 'grammy/types';

export interface BotIdentity {
  readonly id: string;
  readonly username: string;
  /** Names, aliases included, of the commands that the bot knows: in a group a bare one of these is meant for it. */
  readonly commands: ReadonlySet<string>;
}

export interface Addressed {
  /** The text without what only named the bot. */
  readonly said: string;
  readonly isAddressed: boolean;
}

/** Whether a message speaks to the bot: by a mention, a reply or a command. Pure. */
export function readAddressed(message: Message, bot: BotIdentity): Addressed {
  const text = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities ?? [];
  const command = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (command) return readCommand(text, command, bot);
  const mentions = entities.filter((entity) => isMention(entity, text, bot));
  return { said: withoutLeading(text, mentions), isAddressed: mentions.length > 0 || isReplyTo(message, bot) };
}

/** `/status@our_bot` is ours, `/status@another_bot` is not, and `/status` is where we have such a command. */
function readCommand(text: string, { length }: MessageEntity, bot: BotIdentity): Addressed {
  const [name = '', target] = text.slice(1, length).split('@');
  const rest = text.slice(length);
  if (target === undefined) return { said: text, isAddressed: bot.commands.has(name.toLowerCase()) };
  const isOurs = target.toLowerCase() === bot.username.toLowerCase();
  return { said: isOurs ? `/${name}${rest}` : text, isAddressed: isOurs };
}

function isMention(entity: MessageEntity, text: string, bot: BotIdentity): boolean {
  if (entity.type === 'text_mention') return String(entity.user.id) === bot.id;
  if (entity.type !== 'mention') return false;
  const name = text.slice(entity.offset + 1, entity.offset + entity.length);
  return name.toLowerCase() === bot.username.toLowerCase();
}

function withoutLeading(text: string, mentions: readonly MessageEntity[]): string {
  const [first] = mentions;
  if (first === undefined || text.slice(0, first.offset).trim() !== '') return text;
  return text.slice(first.offset + first.length).replace(/^[\s,:]+/, '');
}

/** Whatever is said in a topic is, formally, a reply to the message that opened it. */
function isReplyTo({ reply_to_message: original }: Message, bot: BotIdentity): boolean {
  if (original === undefined || original.forum_topic_created !== undefined) return false;
  return original.from !== undefined && String(original.from.id) === bot.id;
}
