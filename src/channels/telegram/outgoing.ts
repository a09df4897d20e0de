import type { InlineKeyboardMarkup } from 'grammy/types';
import type { OutboxId } from '../../base/ids.ts';
import { consentHeading } from '../../model/channel.ts';
import type { Outbound, OutboundFile, Receipt } from '../../model/channel.ts';
import type { LiveMessages, LiveQuestion } from '../../model/live-messages.ts';
import type { Address } from '../../model/session.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { writeButton } from './button-data.ts';
import { isTokenRefused, refusedToken } from './insist.ts';
import { layOut } from './lay-out.ts';
import { judgeFile, sendFile } from './post-file.ts';
import type { FilePost } from './post-file.ts';
import { editText, lengthRefusal, refuses, sendText } from './post-text.ts';
import type { Previews } from './previews.ts';
import { questionButtons } from './question-buttons.ts';
import { joinRichText, plainText } from './rich-text.ts';
import type { RichText } from './rich-text.ts';
import { splitRichText } from './split-text.ts';
import { isDealtWith } from './tidy-up.ts';

export interface OutgoingDeps {
  readonly bot: BotApi;
  /** Where it is kept what is asked, for the run that finds it when this one has died. */
  readonly live: LiveMessages;
  /** Aborts when the channel ends. */
  readonly ending: AbortSignal;
  readonly previews: Pick<Previews, 'claim' | 'pause' | 'remove' | 'noteMessage'>;
}

/** How far a message has got. */
interface Progress {
  readonly pieces: (RichText | OutboundFile)[];
  /** Messages of a preview that the pieces take the place of, in order. */
  readonly previewed: (number | undefined)[];
  /** Messages of a preview that go when all of it was sent. */
  readonly outdated: readonly number[];
  next: number;
  lastId: number;
  /** Whether the next piece may have been sent before. */
  isDoubtful: boolean;
}

const mostUnfinished = 500;
const shortestPiece = 200;
const pauseMs = 5000;
const tokenPauseMs = 60_000;
const repeatMark: RichText = {
  text: '(sent again: you may have seen this)\n',
  entities: [{ type: 'italic', offset: 0, length: 36 }],
};

/** Sends messages, long ones in pieces. One that is taken up again goes on behind the pieces that were sent. */
export class Outgoing {
  readonly #deps: OutgoingDeps;
  readonly #unfinished = new Map<OutboxId, Progress>();

  constructor(deps: OutgoingDeps) {
    this.#deps = deps;
  }

  async send(message: Outbound, signal: AbortSignal): Promise<Receipt> {
    if (signal.aborted) return { type: 'retry', afterMs: 0, reason: 'the program is ending' };
    const buttons = buttonsFor(message);
    if (buttons === 'too-long') return { type: 'refused', reason: 'the question does not fit under a button' };
    const progress = this.#unfinished.get(message.id) ?? (await this.#begin(message));
    const receipt = await this.#finish(progress, { message, buttons, signal });
    if (receipt.type === 'sent' || receipt.type === 'refused') this.#unfinished.delete(message.id);
    // Beside all else: whoever answers at once waits for no note.
    if (receipt.type === 'sent' && message.kind === 'question') void this.#noteAsked(message, progress.lastId);
    return receipt;
  }

  /** Says under a question how it ended, in the place of its buttons. */
  async conclude(question: Outbound, platformId: string, ending: string): Promise<void> {
    const { bot, live, ending: signal } = this.#deps;
    const { address, digest = '' } = question;
    const id = Number(platformId);
    const last = layOut(question.kind, bot.redact(wordsOf(question))).at(-1) ?? plainText('');
    const rich = joinRichText(last, plainText(`\n\n${ending.slice(0, 80).toWellFormed()}`));
    const result = await editText({ address, rich }, id, bot, signal);
    if (isDealtWith(result)) await live.remove([liveQuestion(address, id, digest)]);
  }

  /** What an earlier run asked before it died still stands above. */
  async #noteAsked(question: Outbound, id: number): Promise<void> {
    const { live } = this.#deps;
    const { address, digest = '' } = question;
    await live.add(liveQuestion(address, id, digest));
    for (const left of live.left) {
      const isSame = left.type === 'question' && left.digest === digest;
      const isHere = left.account === address.account && left.chat === address.chat;
      if (isSame && isHere) await this.conclude(question, String(left.id), 'Asked anew below.');
    }
  }

  async #begin(message: Outbound): Promise<Progress> {
    const { bot, previews } = this.#deps;
    if (message.kind === 'question') previews.pause(message.address);
    const { files = [] } = message;
    const isBare = message.text.trim() === '' && files.length > 0;
    const texts = isBare ? [] : layOut(message.kind, bot.redact(wordsOf(message)));
    // A file takes no preview's place.
    const claimed = message.kind === 'reply' ? await previews.claim(message.address, texts.length) : undefined;
    const { replaced = [], outdated = [] } = claimed ?? {};
    const isDoubtful = message.copy === 'repeat';
    const pieces = [...texts, ...files];
    const progress: Progress = { pieces, previewed: [...replaced], outdated, next: 0, lastId: 0, isDoubtful };
    this.#unfinished.set(message.id, progress);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > mostUnfinished && oldest !== undefined) this.#unfinished.delete(oldest);
    return progress;
  }

  async #finish(progress: Progress, sending: Sending): Promise<Receipt> {
    while (progress.next < progress.pieces.length) {
      const result = await this.#post(progress, sending);
      if (result.type === 'done') this.#advance(progress, result.value, sending.message.address);
      else if (!mend(progress, result)) return explain(progress, result);
    }
    const removing = this.#deps.previews.remove(sending.message.address, progress.outdated);
    // Beside all else: until the receipt is written, whatever ends the program has the reply sent again. At an end in good
    // order it is waited for, or the preview would stand there until the next start.
    if (sending.signal.aborted) await removing;
    return { type: 'sent', platformId: String(progress.lastId) };
  }

  #advance(progress: Progress, messageId: number, address: Address): void {
    progress.lastId = messageId;
    progress.next += 1;
    progress.isDoubtful = false;
    this.#deps.previews.noteMessage(address, messageId);
  }

  async #post(progress: Progress, { message, buttons, signal }: Sending): Promise<CallResult<number>> {
    const { bot } = this.#deps;
    const piece = progress.pieces[progress.next] ?? plainText('');
    const mark = progress.isDoubtful ? repeatMark : plainText('');
    // The first piece alone: what follows it stands below.
    const reply = progress.next === 0 && message.replyTo !== undefined ? { replyTo: message.replyTo } : {};
    const { address } = message;
    if ('path' in piece) return await postFile({ address, file: piece, caption: mark, ...reply }, bot, signal);
    const isLast = progress.next === progress.pieces.length - 1;
    const post = { address, rich: piece, ...(buttons && isLast && { buttons }), ...reply };
    const previewed = progress.previewed[progress.next];
    if (previewed !== undefined) return await editText(post, previewed, bot, signal);
    return await sendText({ ...post, rich: joinRichText(mark, piece) }, bot, signal);
  }
}

/** A bare command would not say that it is a question. */
function wordsOf({ text, about }: Outbound): string {
  return about === 'act' ? `${consentHeading}\n${text}` : text;
}

/** Sends a file, or a line that says why it cannot be sent. */
async function postFile(post: FilePost, bot: BotApi, signal: AbortSignal): Promise<CallResult<number>> {
  const judged = await judgeFile(post.file);
  if (judged.type === 'fit') return await sendFile(post, judged.as, bot, signal);
  const line = bot.redact(`(${post.file.name} was not sent: ${judged.reason})`).toWellFormed();
  const { file: _file, caption, ...where } = post;
  return await sendText({ ...where, rich: joinRichText(caption, plainText(line)) }, bot, signal);
}

function liveQuestion({ account, chat }: Address, id: number, digest: string): LiveQuestion {
  return { type: 'question', account, chat, id, digest };
}

interface Sending {
  readonly message: Outbound;
  readonly buttons: InlineKeyboardMarkup | undefined;
  readonly signal: AbortSignal;
}

const longestLabel = 60;

function buttonsFor({ digest, about, offer, choices = [] }: Outbound): InlineKeyboardMarkup | 'too-long' | undefined {
  if (digest === undefined || (about === 'choice' && choices.length === 0)) return undefined;
  return about === 'choice' ? choiceButtons(choices, digest) : questionButtons(digest, offer);
}

/** One below the other: what is chosen from may be a sentence. */
function choiceButtons(choices: readonly string[], digest: string): InlineKeyboardMarkup | 'too-long' {
  const rows = choices.map((text, choice) => {
    const data = writeButton({ choice, digest });
    return data === undefined ? [] : [{ text: text.slice(0, longestLabel).toWellFormed(), callback_data: data }];
  });
  return rows.some((row) => row.length === 0) ? 'too-long' : { inline_keyboard: rows };
}

/** Changes what is to be sent so that it can be; false where nothing helps. */
function mend(progress: Progress, result: CallResult<number>): boolean {
  const piece = progress.pieces[progress.next];
  const isTooLong = refuses(result, lengthRefusal);
  // Whatever keeps a preview from being changed (deleted, too old, the group has moved), a new message may still arrive.
  if (result.type === 'refused' && !isTooLong && !isTokenRefused(result) && progress.previewed[progress.next]) {
    progress.previewed[progress.next] = undefined;
    return true;
  }
  if (!isTooLong || piece === undefined || 'path' in piece) return false;
  if (piece.text.length < shortestPiece) return false;
  progress.pieces.splice(progress.next, 1, ...splitRichText(piece, Math.ceil(piece.text.length / 2)));
  return true;
}

function explain(progress: Progress, result: Exclude<CallResult<number>, { readonly type: 'done' }>): Receipt {
  const { reason } = result;
  const isEdit = progress.previewed[progress.next] !== undefined;
  const seen = progress.next > 0 || (isEdit && result.type === 'unknown') ? ({ seen: 'maybe' } as const) : {};
  switch (result.type) {
    case 'flooded':
      return { type: 'retry', afterMs: result.afterMs, reason, ...seen };
    case 'undone':
      return { type: 'retry', afterMs: pauseMs, reason, ...seen };
    case 'refused':
      // The token may be replaced by a new one; the message keeps until then.
      if (isTokenRefused(result)) return { type: 'retry', afterMs: tokenPauseMs, reason: refusedToken, ...seen };
      return { type: 'refused', reason };
    case 'unknown':
      // A change of a message can be repeated without anyone noticing; a new message cannot.
      if (isEdit) return { type: 'retry', afterMs: pauseMs, reason, ...seen };
      progress.isDoubtful = true;
      return { type: 'unknown', reason };
  }
}
