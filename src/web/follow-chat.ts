import type { Clock } from '../base/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Address } from '../model/session.ts';
import type { LoggedEntry, TurnEntry } from '../model/turn.ts';
import type { ChatHub, ChatNews, Work } from './chat-hub.ts';
import { readChat, writeCursor } from './chat-reader.ts';
import type { ChatReaderDeps, Cursor, Reading } from './chat-reader.ts';
import { Mailbox } from './mailbox.ts';

/** One event of a stream. Whoever comes back with the id of the last one that had any goes on behind it. */
export interface StreamEvent {
  readonly event:
    | 'reset'
    | 'item'
    | 'standing'
    | 'taken'
    | 'chats'
    | 'said'
    | 'asked'
    | 'concluded'
    | 'working'
    | 'over'
    | 'beat';
  readonly id?: string;
  readonly data: object;
}

export interface FollowDeps {
  readonly hub: Pick<ChatHub, 'listen' | 'standing' | 'busy'>;
  readonly gateway: Pick<Gateway, 'watch'>;
  readonly store: ChatReaderDeps;
  readonly clock: Clock;
}

const mostItems = 300;
const beatMs = 20_000;

/** What happens in a chat: what was said behind the cursor, what stands there now, and then each thing as it comes. */
export async function* followChat(
  address: Address,
  from: Cursor | undefined,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const { hub, gateway, clock } = deps;
  // Before anything is read, so that nothing can happen in between.
  const mail = new Mailbox(clock);
  using _listening = hub.listen(address.chat, (news) => mail.put(news));
  const following = new Following(address, from, deps);
  using _watching = gateway.watch(address, (_turn, event) => {
    if (event.type === 'entry' && following.misses(event.logged)) mail.put({ type: 'kept' });
  });
  yield* following.read();
  yield following.standing();
  while (!signal.aborted) {
    const news = await mail.take(beatMs, signal);
    if (news === 'overflow' || signal.aborted) return;
    if (news.length === 0) yield { event: 'beat', data: {} };
    const isCompleted = news.some(({ type }) => type === 'kept') && (yield* following.read()) === 'completed';
    // What grew into a reply that has just been told would otherwise be seen beside it.
    for (const each of news) if (each.type !== 'working' || !isCompleted) yield* following.tell(each);
  }
}

/** Whether something that is seen comes with an entry. What comes with a result is told when it is sent. */
function isSeen(entry: TurnEntry): boolean {
  if (entry.type === 'step.finished') return entry.message.calls.length > 0;
  return entry.type === 'tool.settled' || entry.type === 'limit.reached';
}

/** Where one reader stands. */
class Following {
  readonly #address: Address;
  readonly #deps: FollowDeps;
  #cursor: Cursor | undefined;
  /** As far as no entry was missed, of those that pass by while turns run. */
  #heardOf = 0;
  #sessionBegan = 0;
  #isFirst = true;
  /** The part of the growing reply that the reader has. */
  #shown = '';
  /** What the model said last that is no reply. */
  #aside = '';

  constructor(address: Address, from: Cursor | undefined, deps: FollowDeps) {
    this.#address = address;
    this.#cursor = from;
    this.#deps = deps;
  }

  /** Whether there is something to read: this entry is seen, or something was said before it that was not heard of. */
  misses({ sessionId, seq, entry }: LoggedEntry): boolean {
    const isNext = this.#cursor?.session === sessionId && seq <= Math.max(this.#cursor.seq, this.#heardOf) + 1;
    if (isNext) this.#heardOf = seq;
    return isSeen(entry) || (entry.type === 'step.asked' && !isNext);
  }

  /** Whether something that was read completes what grew until then. */
  async *read(): AsyncGenerator<StreamEvent, 'completed' | 'open'> {
    const reading = await readChat(this.#address, this.#cursor, this.#deps.store);
    const { session, items } = reading;
    const isNew = this.#cursor?.session !== reading.cursor?.session;
    const left = reading.from === 'beginning' ? endOf(items) : items;
    if (isNew || (this.#isFirst && session === undefined)) {
      const earlier = items.slice(0, items.length - left.length).filter(isMessage).length;
      const data = { session: session?.id ?? null, title: session?.title ?? '', earlier };
      yield { event: 'reset', data };
    }
    this.#isFirst = false;
    if (isNew) this.#heardOf = 0;
    this.#cursor = reading.cursor;
    this.#sessionBegan = session?.createdAt ?? 0;
    for (const { item, cursor } of left) yield { event: 'item', id: writeCursor(cursor), data: item };
    const aside = left.findLast(({ item }) => item.type === 'aside');
    const hasReply = left.some(({ item }) => item.type === 'reply');
    this.#aside = aside?.item.text ?? this.#aside;
    if (aside !== undefined || hasReply) this.#shown = '';
    return hasReply ? 'completed' : 'open';
  }

  standing(): StreamEvent {
    const { sayings, questions, work: whole } = this.#deps.hub.standing(this.#address.chat);
    const work = whole && { ...whole, text: this.#unlessTold(whole.text) };
    this.#shown = work?.text ?? '';
    const data = {
      // Those of a session that was there before belong to what is no longer shown.
      sayings: sayings.filter(({ at }) => at >= this.#sessionBegan),
      questions,
      work: work ?? null,
      chats: this.#deps.hub.busy,
    };
    return { event: 'standing', data };
  }

  *tell(news: ChatNews): Generator<StreamEvent, void> {
    switch (news.type) {
      case 'kept':
        return;
      case 'taken':
        yield { event: 'taken', data: { id: news.id } };
        return;
      case 'chats':
        yield { event: 'chats', data: this.#deps.hub.busy };
        return;
      case 'working':
        yield this.#grow(news);
        return;
      case 'over':
        this.#shown = '';
        yield { event: 'over', data: {} };
        return;
      case 'said':
        yield { event: 'said', data: news.saying };
        return;
      case 'asked':
        yield { event: 'asked', data: news.question };
        return;
      case 'concluded':
        yield { event: 'concluded', data: { id: news.id, ending: news.ending } };
        return;
    }
  }

  /** Only what was added to the reply goes over the wire. */
  #grow({ text: whole, status }: Work): StreamEvent {
    const text = this.#unlessTold(whole);
    const from = text.startsWith(this.#shown) ? this.#shown.length : 0;
    this.#shown = text;
    return { event: 'working', data: { from, text: text.slice(from), status } };
  }

  /** What was said before a tool runs is kept by then, and would be seen twice. */
  #unlessTold(text: string): string {
    return this.#aside.trimEnd().endsWith(text.trim()) ? '' : text;
  }
}

type ReadItem = Reading['items'][number];

function isMessage({ item }: ReadItem): boolean {
  return item.type !== 'act' && item.type !== 'undone';
}

/** The last messages, and what was done between them. */
function endOf(items: Reading['items']): Reading['items'] {
  const messages = items.flatMap((each, index) => (isMessage(each) ? [index] : []));
  return messages.length <= mostItems ? items : items.slice(messages.at(-mostItems));
}
