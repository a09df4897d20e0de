import type { InlineKeyboardMarkup, MessageEntity, ReplyParameters } from 'grammy/types';
import { isDeepStrictEqual } from 'node:util';
import { badRequest, TelegramRefusal } from './telegram-server-faults.ts';
import { checkText } from './telegram-server-text.ts';

export type CallParameters = Readonly<Record<string, unknown>>;

/** A message of the bot as a person sees it. */
export interface ShownMessage {
  readonly message_id: number;
  readonly chat: number;
  readonly thread: number | undefined;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: InlineKeyboardMarkup | undefined;
  /** What came with it; the text is its caption then. */
  readonly file?: ShownFile;
  /** The message that it is shown as a reply to. */
  readonly repliesTo?: number;
}

export interface ShownFile {
  readonly kind: 'document' | 'photo';
  readonly name: string;
  readonly bytes: Buffer;
}

interface SaidByPerson {
  readonly thread: number | undefined;
  isDeleted: boolean;
}

interface ChatState {
  readonly said: Map<number, SaidByPerson>;
  readonly threads: Set<number>;
  closedBy: TelegramRefusal | undefined;
}

/** The chats that a bot can write to, and what it wrote there. */
export class TelegramChats {
  readonly #chats = new Map<number, ChatState>();
  readonly #shown = new Map<number, ShownMessage[]>();
  #lastId = 100;

  /** What the bot's messages in a chat look like now, in order. */
  shown(chat: number): readonly ShownMessage[] {
    return [...this.#shownIn(chat)];
  }

  open(chat: number, thread?: number): void {
    const state = this.#chats.get(chat) ?? { said: new Map(), threads: new Set<number>(), closedBy: undefined };
    if (thread !== undefined) state.threads.add(thread);
    this.#chats.set(chat, state);
  }

  /** From now on nothing can be written there. */
  close(chat: number, status: number, description: string): void {
    this.open(chat);
    (this.#chats.get(chat) as ChatState).closedBy = new TelegramRefusal(status, description);
  }

  /** A person wrote there. */
  hear(chat: number, message: number, thread: number | undefined): void {
    this.#chats.get(chat)?.said.set(message, { thread, isDeleted: false });
  }

  /** A person deletes what they wrote. */
  deleteSaid(chat: number, message: number): void {
    const said = this.#chats.get(chat)?.said.get(message);
    if (said) said.isDeleted = true;
  }

  nextMessageId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  send(parameters: CallParameters): object {
    const chat = this.#checkChat(parameters);
    const thread = checkThread(parameters, this.#chats.get(chat));
    const formatted = checkText(parameters['text'], parameters['entities']);
    const buttons = checkButtons(parameters);
    const reply = this.#checkReply(parameters, chat, thread);
    const shown: ShownMessage = { message_id: this.nextMessageId(), chat, thread, ...formatted, buttons, ...reply };
    this.#shownIn(chat).push(shown);
    return describe(shown);
  }

  /** Telegram shows no photo above 10 MB and takes no file above 50; what is no picture cannot be a photo. */
  sendFile(parameters: CallParameters, kind: ShownFile['kind']): object {
    const chat = this.#checkChat(parameters);
    const thread = checkThread(parameters, this.#chats.get(chat));
    const { name, bytes } = parameters[kind] as Omit<ShownFile, 'kind'>;
    if (bytes.length === 0) throw badRequest('file must be non-empty');
    if (bytes.length > 50 * 1024 * 1024) throw new TelegramRefusal(413, 'Request Entity Too Large');
    if (kind === 'photo' && (bytes.length > 10 * 1024 * 1024 || !isPicture(bytes)))
      throw badRequest('IMAGE_PROCESS_FAILED');
    const caption = parameters['caption'];
    const formatted =
      caption === undefined ? { text: '', entities: [] } : checkText(caption, parameters['caption_entities']);
    const shown: ShownMessage = {
      message_id: this.nextMessageId(),
      chat,
      thread,
      ...formatted,
      buttons: undefined,
      file: { kind, name, bytes },
      ...this.#checkReply(parameters, chat, thread),
    };
    this.#shownIn(chat).push(shown);
    return describe(shown);
  }

  edit(parameters: CallParameters): object {
    return this.#change(parameters, checkText(parameters['text'], parameters['entities']));
  }

  editButtons(parameters: CallParameters): object {
    return this.#change(parameters, {});
  }

  #change(parameters: CallParameters, formatted: Partial<ShownMessage>): object {
    const chat = this.#checkChat(parameters);
    const { index, old } = this.#find(chat, parameters, 'edit');
    const edited = { ...old, ...formatted, buttons: checkButtons(parameters) };
    if (isDeepStrictEqual(edited, old)) {
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    }
    this.#shownIn(chat)[index] = edited;
    return describe(edited);
  }

  delete(parameters: CallParameters): true {
    const chat = this.#checkChat(parameters);
    const { index } = this.#find(chat, parameters, 'delete');
    this.#shownIn(chat).splice(index, 1);
    return true;
  }

  act(parameters: CallParameters): true {
    const chat = this.#checkChat(parameters);
    checkThread(parameters, this.#chats.get(chat));
    return true;
  }

  /** What is gone is left out where that is allowed, which it never is for what was said in another topic. */
  #checkReply(parameters: CallParameters, chat: number, thread: number | undefined): Pick<ShownMessage, 'repliesTo'> {
    const reply = parameters['reply_parameters'] as ReplyParameters | undefined;
    const id = reply?.message_id;
    if (reply === undefined || id === undefined) return {};
    const said = this.#chats.get(chat)?.said.get(id);
    const isOurs = this.#shownIn(chat).some((message) => message.message_id === id);
    if (isOurs || said?.isDeleted === false) return { repliesTo: id };
    const isElsewhere = said !== undefined && said.thread !== thread;
    if (reply.allow_sending_without_reply !== true || isElsewhere) throw badRequest('message to be replied not found');
    return {};
  }

  #shownIn(chat: number): ShownMessage[] {
    const shown = this.#shown.get(chat) ?? [];
    this.#shown.set(chat, shown);
    return shown;
  }

  #checkChat(parameters: CallParameters): number {
    const chat = Number(parameters['chat_id']);
    const state = this.#chats.get(chat);
    if (state === undefined) throw badRequest('chat not found');
    if (state.closedBy) throw state.closedBy;
    return chat;
  }

  #find(chat: number, parameters: CallParameters, act: string): { readonly index: number; readonly old: ShownMessage } {
    const id = parameters['message_id'];
    const shown = this.#shownIn(chat);
    const index = shown.findIndex((message) => message.message_id === id);
    const old = shown[index];
    if (old === undefined) throw badRequest(`message to ${act} not found`);
    return { index, old };
  }
}

function isPicture(bytes: Buffer): boolean {
  return ['\u0089PNG', '\u00FF\u00D8\u00FF'].some((begin) => bytes.toString('latin1').startsWith(begin));
}

function checkThread(parameters: CallParameters, state: ChatState | undefined): number | undefined {
  const thread = parameters['message_thread_id'];
  if (thread === undefined) return undefined;
  if (typeof thread !== 'number' || state?.threads.has(thread) !== true) throw badRequest('message thread not found');
  return thread;
}

function checkButtons(parameters: CallParameters): InlineKeyboardMarkup | undefined {
  const markup = parameters['reply_markup'] as InlineKeyboardMarkup | undefined;
  for (const button of markup?.inline_keyboard.flat() ?? []) {
    const data = 'callback_data' in button ? button.callback_data : undefined;
    const length = Buffer.byteLength(data ?? '');
    if (length < 1 || length > 64) throw badRequest('BUTTON_DATA_INVALID');
  }
  return markup;
}

function describe({ message_id, chat, text, entities }: ShownMessage): object {
  return { message_id, chat: { id: chat }, date: 0, text, entities };
}
