import { AsyncQueue } from '../base/async-queue.ts';
import type { Clock } from '../base/clock.ts';
import { consentHeading } from '../model/channel.ts';
import type { Inbound, Outbound, Preview, WebchatPort } from '../model/channel.ts';
import type { Outbox } from '../model/store.ts';

/** Something that is shown and not kept: a command and what it came to. */
export interface Saying {
  readonly id: string;
  readonly at: number;
  readonly by: 'user' | 'program';
  readonly text: string;
}

export interface OpenQuestion {
  readonly id: string;
  readonly digest: string;
  /** What stands above it, where it does not say itself what is asked. */
  readonly heading?: string;
  readonly text: string;
  /** How far a yes may reach, where it may reach further than once. */
  readonly offer?: Outbound['offer'];
  /** What may be chosen, of a question that words answer, too. */
  readonly choices?: readonly string[];
}

/** The reply that grows, and what is being done. */
export interface Work {
  readonly text: string;
  readonly status: string;
}

/** The chats in which something is done, or asked. */
export type BusyChats = Readonly<Record<string, 'working' | 'asking'>>;

/** What happens in a chat. `kept` says that there is more to be found in the store. */
export type ChatNews =
  | { readonly type: 'kept' }
  /** The message that was sent under this id is among what is kept. */
  | { readonly type: 'taken'; readonly id: string }
  /** In some chat something was begun, asked or ended. */
  | { readonly type: 'chats' }
  | ({ readonly type: 'working' } & Work)
  | { readonly type: 'over' }
  | { readonly type: 'said'; readonly saying: Saying }
  | { readonly type: 'asked'; readonly question: OpenQuestion }
  | { readonly type: 'concluded'; readonly id: string; readonly ending: string };

/** What stands in a chat and is not in the store. */
export interface Standing {
  readonly sayings: readonly Saying[];
  readonly questions: readonly OpenQuestion[];
  readonly work: Work | undefined;
}

export interface ChatHubDeps {
  readonly outbox: Pick<Outbox, 'get'>;
  readonly clock: Clock;
}

type Listener = (news: ChatNews) => void;

interface Chat {
  readonly listeners: Set<Listener>;
  readonly sayings: Saying[];
  readonly questions: Map<string, OpenQuestion>;
  work: Work | undefined;
}

const mostSayings = 50;
const mostChats = 1000;

/**
 * The chats in the browser while the program runs: who looks at which, and what is shown there without being kept. What
 * is kept is found in the store; a page that was away loses nothing but the sayings of a run that is over.
 */
export class ChatHub implements WebchatPort {
  readonly #deps: ChatHubDeps;
  readonly #arriving = new AsyncQueue<Inbound>();
  readonly #chats = new Map<string, Chat>();
  readonly #busy = new Map<string, BusyChats[string]>();
  /** Whoever looks at any chat: most chats that are known have nobody. */
  readonly #everyone = new Set<Listener>();

  constructor(deps: ChatHubDeps) {
    this.#deps = deps;
  }

  /** Brings something to the gateway that needs no answer of its own. */
  bring(inbound: Inbound): void {
    this.#arriving.push(inbound);
  }

  async *read(signal: AbortSignal): AsyncGenerator<Inbound, void> {
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.#arriving.close(), { once: true });
    yield* this.#arriving;
  }

  async show(message: Outbound): Promise<void> {
    const { id, address, kind, text, digest, offer, about, choices = [] } = message;
    const { chat } = address;
    if (kind === 'question') {
      const heading = about === 'act' && { heading: consentHeading };
      const more = about === 'choice' ? { choices } : offer && { offer };
      const question: OpenQuestion = { id, digest: digest ?? '', text, ...heading, ...more };
      this.#at(chat).questions.set(id, question);
      this.#tell(chat, { type: 'asked', question });
      this.#tellBusy(chat);
    } else if ((await this.#deps.outbox.get(id)) === undefined) {
      this.say(chat, { id, by: 'program', text });
    } else {
      this.#tell(chat, { type: 'kept' });
    }
  }

  preview(preview: Preview): void {
    const { chat } = preview.address;
    if (preview.type === 'over') {
      this.#at(chat).work = undefined;
      // What the turn came to is in the store by now.
      this.#tell(chat, { type: 'kept' });
      this.#tell(chat, { type: 'over' });
    } else {
      const { text, status } = preview;
      this.#at(chat).work = { text, status };
      this.#tell(chat, { type: 'working', text, status });
    }
    this.#tellBusy(chat);
  }

  conclude(question: Outbound, ending: string): void {
    const { chat } = question.address;
    this.#at(chat).questions.delete(question.id);
    this.#tell(chat, { type: 'concluded', id: question.id, ending });
    // An answer in words stands nowhere else in the chat, and is not understood without its question.
    if (question.about === 'choice')
      this.say(chat, { id: question.id, by: 'program', text: `${question.text}\n\n${ending}` });
    this.#tellBusy(chat);
  }

  /** Shows something that is not kept. */
  say(chat: string, what: Omit<Saying, 'at'>): void {
    const saying: Saying = { ...what, at: this.#deps.clock.now() };
    const { sayings } = this.#at(chat);
    sayings.push(saying);
    if (sayings.length > mostSayings) sayings.shift();
    this.#tell(chat, { type: 'said', saying });
  }

  /** Says that there is more of a chat in the store. */
  noteKept(chat: string): void {
    this.#tell(chat, { type: 'kept' });
  }

  /** Says that a message is in the store. */
  noteTaken(chat: string, id: string): void {
    this.#tell(chat, { type: 'kept' });
    this.#tell(chat, { type: 'taken', id });
  }

  get busy(): BusyChats {
    return Object.fromEntries(this.#busy);
  }

  listen(chat: string, listener: Listener): Disposable {
    const { listeners } = this.#at(chat);
    listeners.add(listener);
    this.#everyone.add(listener);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        this.#everyone.delete(listener);
      },
    };
  }

  standing(chat: string): Standing {
    const found = this.#chats.get(chat);
    return {
      sayings: [...(found?.sayings ?? [])],
      questions: [...(found?.questions.values() ?? [])],
      work: found?.work,
    };
  }

  /** Tells every page, whatever chat it shows, but only what is new: a reply that grows changes nothing here. */
  #tellBusy(chat: string): void {
    const { questions, work } = this.#at(chat);
    const state = questions.size > 0 ? 'asking' : work && 'working';
    if (state === this.#busy.get(chat)) return;
    if (state) this.#busy.set(chat, state);
    else this.#busy.delete(chat);
    for (const listener of this.#everyone) listener({ type: 'chats' });
  }

  #tell(chat: string, news: ChatNews): void {
    for (const listener of this.#chats.get(chat)?.listeners ?? []) listener(news);
  }

  #at(chat: string): Chat {
    const found = this.#chats.get(chat);
    // Whatever was touched last stands last, so that the first one that nobody needs is the one to forget.
    if (found) this.#chats.delete(chat);
    const kept: Chat = found ?? { listeners: new Set(), sayings: [], questions: new Map(), work: undefined };
    this.#chats.set(chat, kept);
    if (this.#chats.size > mostChats) this.#forgetOne();
    return kept;
  }

  #forgetOne(): void {
    for (const [name, { listeners, questions, work }] of this.#chats) {
      if (listeners.size > 0 || questions.size > 0 || work !== undefined) continue;
      this.#chats.delete(name);
      return;
    }
  }
}
