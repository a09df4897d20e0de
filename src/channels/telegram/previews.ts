import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Preview } from '../../model/channel.ts';
import type { LiveMessages, LivePreview } from '../../model/live-messages.ts';
import { addressKey } from '../../model/session.ts';
import type { Address } from '../../model/session.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { ChatPaces } from './chat-paces.ts';
import { layOut } from './lay-out.ts';
import { editText, sendText } from './post-text.ts';
import { joinRichText, plainText } from './rich-text.ts';
import type { RichText } from './rich-text.ts';
import { isDealtWith } from './tidy-up.ts';
import { keepTyping } from './typing.ts';

type Working = Extract<Preview, { readonly type: 'working' }>;
type Place = Pick<Address, 'chat' | 'thread'>;
type Over = Extract<Preview, { readonly type: 'over' }>;

export interface PreviewDeps {
  readonly bot: BotApi;
  /** Where it is kept what is shown, for the run that finds it when this one has died. */
  readonly live: LiveMessages;
  /** Aborts when the channel ends. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
}

interface ShownPiece {
  readonly id: number;
  readonly rich: RichText;
}

/** A turn that is being shown. */
interface Showing {
  readonly address: Address;
  readonly pieces: ShownPiece[];
  readonly closing: AbortController;
  wanted: Working;
  /** Cleared in the same breath as the last look at what is wanted, so that no wish can slip in between. */
  isAtWork: boolean;
  work: Promise<void> | undefined;
  typing: AbortController | undefined;
  /** Whether a message may exist whose id is not known, or a known one is gone: then nothing more is shown. */
  isLost: boolean;
  /** When its first message was sent, by a clock that never goes back. */
  beganMs: number;
  /** The newest message of anyone else in the same place. */
  newestOther: number;
}

/** The messages of a preview that has ended, in order. */
export interface ClaimedPreview {
  /**
   * Those that the reply takes the place of. A change rings no phone and moves nothing: where they stand above something
   * newer, or have stood there for long, the reply is a new message.
   */
  readonly replaced: readonly number[];
  /** Those that go once the reply is there. Until then the next run would take them off. */
  readonly outdated: readonly number[];
}

/** Telegram allows about one message a second in a chat, and twenty a minute in a group. */
const privatePaceMs = 1000;
const groupPaceMs = 3000;
const enoughToShow = 24;
const cursor = ' ▉';
/** Whoever waited for longer has put the phone away. */
const longestWatchedMs = 60_000;

/** Shows turns while they run, by messages that grow. It is slowed down to what Telegram allows and fails quietly. */
export class Previews {
  readonly #deps: PreviewDeps;
  readonly #showings = new Map<string, Showing>();
  readonly #paces = new ChatPaces();

  constructor(deps: PreviewDeps) {
    this.#deps = deps;
  }

  async show(preview: Preview, signal: AbortSignal): Promise<void> {
    if (preview.type === 'over') return await this.#end(preview, signal);
    const showing = this.#showingAt(preview);
    showing.wanted = preview;
    showing.typing ??= this.#beginTyping(showing, signal);
    if (!showing.isAtWork) showing.work = this.#work(showing, signal);
    await showing.work;
  }

  /** Ends a preview and hands over its messages to a reply of so many. */
  async claim(address: Address, count: number): Promise<ClaimedPreview> {
    const showing = this.#showings.get(addressKey(address));
    if (showing === undefined) return { replaced: [], outdated: [] };
    await this.#close(showing);
    const ids = showing.pieces.map(({ id }) => id);
    const isOld = this.#deps.clock.monotonic() - showing.beganMs > longestWatchedMs;
    const isAboveOthers = ids.some((id) => id < showing.newestOther);
    const replaced = isOld || isAboveOthers ? [] : ids.slice(0, count);
    // Before they become the reply: the next run must not take that for what this one left.
    const areForgotten = await this.#forget(address, replaced);
    return areForgotten ? { replaced, outdated: ids.slice(replaced.length) } : { replaced: [], outdated: ids };
  }

  /** Takes note of a message that someone wrote, or that was sent, where turns may be being shown. */
  noteMessage({ chat, thread }: Place, id: number): void {
    for (const showing of this.#showings.values()) {
      const { address } = showing;
      const isThere = address.chat === chat && address.thread === thread;
      if (isThere && showing.pieces.every((piece) => piece.id !== id)) {
        showing.newestOther = Math.max(showing.newestOther, id);
      }
    }
  }

  /** A person is asked: nobody is writing. The next preview goes on. */
  pause(address: Address): void {
    const showing = this.#showings.get(addressKey(address));
    showing?.typing?.abort();
    if (showing) showing.typing = undefined;
  }

  async remove(address: Address, ids: readonly number[]): Promise<void> {
    const { bot, ending } = this.#deps;
    const gone: number[] = [];
    for (const id of ids) {
      const result = await bot.tidy((api, stop) => api.deleteMessage(address.chat, id, stop), ending);
      if (isDealtWith(result)) gone.push(id);
      // The next start takes off the rest.
      else if (ending.aborted) break;
    }
    await this.#forget(address, gone);
  }

  #forget(address: Address, ids: readonly number[]): Promise<boolean> {
    return this.#deps.live.remove(ids.map((id) => livePreview(address, id)));
  }

  #showingAt(preview: Working): Showing {
    const key = addressKey(preview.address);
    const found = this.#showings.get(key);
    if (found) return found;
    const showing: Showing = {
      address: preview.address,
      pieces: [],
      closing: new AbortController(),
      wanted: preview,
      isAtWork: false,
      work: undefined,
      typing: undefined,
      isLost: false,
      beganMs: this.#deps.clock.monotonic(),
      newestOther: 0,
    };
    this.#showings.set(key, showing);
    return showing;
  }

  #beginTyping({ address, closing }: Showing, signal: AbortSignal): AbortController {
    const typing = new AbortController();
    void keepTyping(address, this.#deps, AbortSignal.any([typing.signal, closing.signal, signal]));
    return typing;
  }

  /** Shows what is wanted until nothing new is. Whatever is under way when the preview ends is waited for. */
  async #work(showing: Showing, signal: AbortSignal): Promise<void> {
    showing.isAtWork = true;
    const stop = AbortSignal.any([showing.closing.signal, signal]);
    try {
      while (!showing.isLost && this.#nextStep(showing) && (await this.#waitForPace(showing.address, stop))) {
        // What is wanted may have changed while we waited.
        const step = this.#nextStep(showing);
        if (step) await this.#note(showing, step, await this.#take(showing, step));
      }
    } finally {
      showing.isAtWork = false;
    }
  }

  /** The first message that does not look as it should; undefined where all do. */
  #nextStep({ pieces, wanted }: Showing): Step | undefined {
    const { bot } = this.#deps;
    const look = lookOf({ ...wanted, text: bot.redact(wanted.text), status: bot.redact(wanted.status) });
    const place = look.findIndex((rich, index) => !isDeepStrictEqual(pieces[index]?.rich, rich));
    const rich = look[place];
    return rich && { place, rich, id: pieces[place]?.id };
  }

  async #waitForPace({ chat }: Address, stop: AbortSignal): Promise<boolean> {
    const { clock } = this.#deps;
    for (;;) {
      const waitMs = this.#paces.waitMs(chat, clock.now());
      if (waitMs <= 0) {
        // Taken at once: another conversation in the same chat may wait for the same moment.
        if (!stop.aborted) this.#paces.holdUp(chat, paceOf(chat), clock.now());
        return !stop.aborted;
      }
      const hasWaited = await clock.sleep(waitMs, stop).then(
        () => true,
        () => false,
      );
      if (!hasWaited) return false;
    }
  }

  async #take({ address, wanted }: Showing, { place, rich, id }: Step): Promise<CallResult<number>> {
    const { bot, ending } = this.#deps;
    const reply = place === 0 && wanted.replyTo !== undefined ? { replyTo: wanted.replyTo } : {};
    if (id === undefined) return await sendText({ address, rich, ...reply }, bot, ending);
    return await editText({ address, rich }, id, bot, ending);
  }

  async #note(showing: Showing, { rich, place, id }: Step, result: CallResult<number>): Promise<void> {
    const { chat } = showing.address;
    const paceMs = paceOf(chat);
    const waitMs = result.type === 'flooded' ? Math.max(result.afterMs, paceMs) : paceMs;
    this.#paces.holdUp(chat, waitMs, this.#deps.clock.now());
    if (result.type === 'done') await this.#noteShown(showing, place, { id: result.value, rich });
    // An edit that may have happened can be made again; a message that may be there cannot be sent again.
    const canGoOn =
      result.type === 'flooded' || result.type === 'undone' || (result.type === 'unknown' && id !== undefined);
    if (result.type !== 'done' && !canGoOn) showing.isLost = true;
  }

  async #noteShown(showing: Showing, place: number, piece: ShownPiece): Promise<void> {
    const isNew = showing.pieces[place] === undefined;
    if (showing.pieces.length === 0) showing.beganMs = this.#deps.clock.monotonic();
    showing.pieces[place] = piece;
    if (isNew) await this.#deps.live.add(livePreview(showing.address, piece.id));
    // Members of a group are shown their turns side by side.
    this.noteMessage(showing.address, piece.id);
  }

  async #close(showing: Showing): Promise<void> {
    showing.closing.abort();
    await showing.work;
    this.#showings.delete(addressKey(showing.address));
  }

  /** A reply that was sent has claimed what was shown: what is left is without one, and stays as far as it got. */
  async #end({ address, reply }: Over, signal: AbortSignal): Promise<void> {
    const showing = this.#showings.get(addressKey(address));
    if (showing === undefined) return;
    await this.#close(showing);
    const ids = showing.pieces.map(({ id }) => id);
    const text = this.#deps.bot.redact(showing.wanted.text);
    // A bare status line goes, and so does the beginning of a reply that comes later: it would be there twice.
    if (text === '' || reply === 'sent-or-to-come') return await this.remove(address, ids);
    const [rich, last] = [layOut('reply', text)[ids.length - 1], ids.at(-1)];
    const edited = rich && last !== undefined && (await editText({ address, rich }, last, this.#deps.bot, signal));
    // What still looks unfinished is left to the next run, which takes it off.
    await this.#forget(address, edited && !isDealtWith(edited) ? ids.slice(0, -1) : ids);
  }
}

function livePreview({ account, chat }: Address, id: number): LivePreview {
  return { type: 'preview', account, chat, id };
}

function paceOf(chat: string): number {
  return chat.startsWith('-') ? groupPaceMs : privatePaceMs;
}

interface Step {
  readonly place: number;
  readonly rich: RichText;
  /** Of the message that shows this piece now; undefined where there is none yet. */
  readonly id: number | undefined;
}

/** What a preview looks like: the text with a cursor, and below it what is being done. */
function lookOf({ text, status }: Working): readonly RichText[] {
  const isWorthShowing = text.length >= enoughToShow || status !== '';
  if (!isWorthShowing) return [];
  const line = status === '' ? undefined : styledStatus(status);
  if (text.trim() === '') return line ? [line] : [];
  const pieces = layOut('reply', text);
  const last = joinRichText(pieces.at(-1) ?? plainText(''), plainText(cursor));
  return [...pieces.slice(0, -1), line ? joinRichText(last, joinRichText(plainText('\n\n'), line)) : last];
}

function styledStatus(status: string): RichText {
  const text = `⏳ ${status.replaceAll(/\s+/g, ' ').slice(0, 150).toWellFormed().trim()}`;
  return { text, entities: [{ type: 'italic', offset: 0, length: text.length }] };
}
